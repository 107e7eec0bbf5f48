// The script-tag build: <script src="holdfast.js"></script> gives a global
// `holdfast` with the names of the module, and of `holdfast/agent`. esbuild's --global-name makes it. It is
// one file, with the page's own host in it: what the module loads as chunks is there from the start.
import { connectAgentHere, loadHere as loadAgentsHere } from "./agent/connectagent.js";
import { agentHost } from "./agent/loadagent.js";
import { connectHere, loadHere } from "./client/connect.js";
import { agentWorker } from "./host/choose/agenthosts.js";
import { check as checkAgentOptions, connectAgentThere } from "./host/page/connectagentthere.js";
import { check, connectThere, HostLink } from "./host/page/connectthere.js";
import { pageHost, pageOfSignIn, workerClient } from "./host/choose/hosts.js";
import { RemoteSignIn } from "./host/page/remotesignin.js";
import { Authorization, handOver, signOutEverywhere } from "./auth/authorization.js";
import { clientPart } from "./auth/loadauthorization.js";

pageHost.here = { connectHere, loadHere };
agentHost.here = { connectAgentHere, loadHere: loadAgentsHere };
workerClient.here = { check, connectThere, HostLink };
agentWorker.here = { check: checkAgentOptions, connectAgentThere, HostLink };
pageOfSignIn.here = { RemoteSignIn };
clientPart.here = { Authorization, handOver, signOutEverywhere };

export * from "./agentmodule.js";
export * from "./index.js";
