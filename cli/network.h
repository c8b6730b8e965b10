/* SPDX-License-Identifier: MIT */
#ifndef CLI_NETWORK_H
#define CLI_NETWORK_H

/* network_name: the network file system on which an output of this path would lie, or NULL. */
const char *network_name(const char *path);

#endif
