import { call, withService } from "../service.ts";
import { approvalJourney } from "./mcp/approval.ts";
import { checkCards } from "./mcp/cards.ts";
import { runClients } from "./mcp/clients.ts";
import { conformance } from "./mcp/conformance.ts";
import { startProxy } from "./mcp/proxy.ts";

/*
 * Runs MCP client libraries, a conversation in which a person approves, the cards in a browser and the official conformance suite
 * against the MCP server: `npm run judge:mcp -- [origin of a running service]`.
 */

const failures = await withService(process.argv[2], async (origin) => {
  const { api_key: key } = await call<{ api_key: string }>(origin, "POST", "/sandbox/users", { body: {} });
  const body = { api_key: key, platform: "x" };
  const { accounts } = await call<{ accounts: { id: string }[] }>(origin, "POST", "/sandbox/connect", { body });
  for (const line of await runClients(origin, key, accounts[0]?.id ?? "")) {
    console.log(line);
  }
  console.log((await approvalJourney(origin)).join("\n"));
  for (const line of await checkCards(origin, key, accounts[0]?.id ?? "")) {
    console.log(line);
  }
  const proxy = await startProxy(origin, key);
  try {
    const { lines, failures } = await conformance(proxy.url);
    console.log(lines.join("\n"));
    return failures;
  } finally {
    await proxy.close();
  }
});
process.exitCode = failures === 0 ? 0 : 1;
