/* SPDX-License-Identifier: MIT */
/* The course of events. */
#include "scenario.h"

#include <cstdio>
#include <string>
#include <vector>

#include <unistd.h>

#include "client.h"

namespace
{

std::vector<Client> connect_all(const Scenario &scenario)
{
	std::vector<Client> clients;

	clients.reserve(scenario.nr_connections);
	for (unsigned i = 0; i < scenario.nr_connections; i++)
		clients.emplace_back(scenario.port);
	return clients;
}

void request_on_all(std::vector<Client> &clients, unsigned number)
{
	for (size_t i = 0; i < clients.size(); i++)
		clients[i].send("request " + std::to_string(number) + " of connection " +
				std::to_string(i));
	for (Client &client : clients)
		client.receive();
}

/* The last request travels with the end of the sender's stream, and must be answered all the same. */
void end_with_half_close(Client &client)
{
	client.send("the last request");
	client.half_close();
	client.expect_end();
}

void hold()
{
	std::printf("holding\n");
	std::fflush(stdout);
	for (;;)
		pause();
}

} // namespace

void run_scenario(const Scenario &scenario)
{
	std::vector<Client> clients = connect_all(scenario);
	size_t first_closed = scenario.nr_resets + scenario.nr_half_closes;

	for (unsigned number = 1; number <= scenario.nr_requests; number++)
		request_on_all(clients, number);
	for (size_t i = 0; i < scenario.nr_resets; i++)
		clients[i].reset();
	if (scenario.holds)
		hold();
	for (size_t i = scenario.nr_resets; i < first_closed; i++)
		end_with_half_close(clients[i]);
}
