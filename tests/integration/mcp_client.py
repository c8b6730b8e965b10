# SPDX-License-Identifier: MIT
"""The part of test_mcp_client.py that runs in a Python with the package: the client of the protocol's authors calls
corotracer.

The client checks each answer by the schema that the server sent with its list of tools.

    mcp_client.py COROTRACER TRACE FOLDER COMMAND...
"""
import asyncio
import sys

import jsonschema
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

COROTRACER, TRACE, FOLDER, *COMMAND = sys.argv[1:]
VERSIONS = {"auto": "2026-07-28", "legacy": "2025-11-25"}


def check(condition, sentence):
    if not condition:
        sys.exit(f"FAILED: {sentence}")


async def call(client, tools, called, name, **arguments):
    jsonschema.validate(arguments, tools[name].input_schema)
    result = await client.call_tool(name, arguments)
    check(not result.is_error, f"{name} {arguments}: {result.content}")
    jsonschema.validate(result.structured_content, tools[name].output_schema)
    called.add(name)
    return result.structured_content


async def call_all(client, tools, mode):
    called = set()

    def ask(name, **arguments):
        return call(client, tools, called, name, **arguments)

    opened = await ask("open", path=TRACE)
    handle = opened["handle"]
    told = await ask("findings", handle=handle, number=1)
    check("reactor.cpp:" in told["finding"]["look_first_at"], f"no closing line in {told['finding']}")
    print(told["finding"]["look_first_at"])
    await ask("findings", handle=handle)
    await ask("why", handle=handle, coroutine=told["members"][0]["coroutine"])
    for by in tools["stats"].input_schema["properties"]["by"]["enum"]:
        await ask("stats", handle=handle, by=by)
    await ask("events", handle=handle, first=told["finding"]["first_event"], limit=5)
    await ask("coroutines", handle=handle)
    counted = await ask("sql", handle=handle, query="SELECT count(*) AS n FROM coroutines")
    check(counted["rows"] == [[51]], f"SQL counts {counted}")
    await ask("record", command=COMMAND, duration="20s", output=f"{FOLDER}/{mode}.ctrace")
    await ask("close", handle=handle)
    check(called == set(tools), f"not called: {set(tools) - called}")


async def talk(mode):
    parameters = StdioServerParameters(command=COROTRACER, args=["mcp", "--allow-run", "--root", FOLDER])
    async with Client(stdio_client(parameters), mode=mode) as client:
        check(client.protocol_version == VERSIONS[mode], f"{mode}: {client.protocol_version} was agreed on")
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        for tool in tools.values():
            jsonschema.Draft202012Validator.check_schema(tool.input_schema)
            jsonschema.Draft202012Validator.check_schema(tool.output_schema)
            check(tool.annotations.read_only_hint == (tool.name != "record"), f"{tool.name} has no true hint")
        check((await client.call_tool("findings", {"handle": "none"})).is_error, "a bad handle is no error")
        await client.call_tool("open", {"path": TRACE})
        resources = (await client.list_resources()).resources
        text = (await client.read_resource(str(resources[0].uri))).contents[0].text
        check("descriptor" in text, "the resource is no report")
        check(len((await client.list_prompts()).prompts) == 1, "no prompt is listed")
        await client.get_prompt("diagnose", {"path": TRACE})
        await call_all(client, tools, mode)


for each in VERSIONS:
    asyncio.run(talk(each))
