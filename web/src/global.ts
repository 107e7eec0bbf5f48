// The script-tag build: <script src="holdfast.js"></script> gives a global
// `holdfast` with the module's names. esbuild's --global-name makes it. It is one file, with
// the page's own host in it: what the module loads as chunks is there from the start.
import { connectAgentHere, loadHere as loadAgentsHere } from "./agent/connectagent.js";
import { agentHost } from "./agent/loadagent.js";
import { connectHere, loadHere } from "./client/connect.js";
import { agentWorker } from "./host/agenthosts.js";
import { check as checkAgentOptions, connectAgentThere } from "./host/connectagentthere.js";
import { check, connectThere, HostLink } from "./host/connectthere.js";
import { pageHost, pageOfSignIn, workerClient } from "./host/hosts.js";
import { RemoteSignIn } from "./host/remotesignin.js";
import { Authorization, handOver, signOutEverywhere } from "./signin/authorization.js";
import { clientPart } from "./signin/loadauthorization.js";

pageHost.here = { connectHere, loadHere };
agentHost.here = { connectAgentHere, loadHere: loadAgentsHere };
workerClient.here = { check, connectThere, HostLink };
agentWorker.here = { check: checkAgentOptions, connectAgentThere, HostLink };
pageOfSignIn.here = { RemoteSignIn };
clientPart.here = { Authorization, handOver, signOutEverywhere };

export * from "./index.js";
