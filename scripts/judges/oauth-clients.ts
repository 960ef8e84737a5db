import { badgateway } from "./oauth/badgateway.ts";
import { mcpConformance, mcpServerConformance } from "./oauth/mcp-conformance.ts";
import { mcpV1, mcpV2 } from "./oauth/mcp-clients.ts";
import { mcpServerV1, mcpServerV2, mcpServerV2Auto } from "./oauth/mcp-server.ts";
import { oauth4webapi } from "./oauth/oauth4webapi.ts";
import { openidClient } from "./oauth/openid-client.ts";
import { ConsentingUser } from "./oauth/consenting-user.ts";
import { simpleOauth2 } from "./oauth/simple-oauth2.ts";
import { skillCommands } from "./oauth/skill-commands.ts";
import { withService } from "../service.ts";

/*
 * Runs third-party OAuth and MCP clients against the service: `npm run judge:oauth -- [origin of a running service]`. Each
 * client discovers the server, registers, gets the user's consent, exchanges the code, calls the API, refreshes its token and,
 * if it supports it, revokes it. The last check runs the commands of SKILL.md, which need bash, curl and jq.
 */

const checks = {
  oauth4webapi,
  openidClient,
  badgateway,
  simpleOauth2,
  mcpV1,
  mcpV2,
  mcpServerV1,
  mcpServerV2,
  mcpServerV2Auto,
  mcpConformance,
  mcpServerConformance,
  skillCommands,
};

const failed = await withService(process.argv[2], async (origin) => {
  let failures = 0;
  for (const [name, check] of Object.entries(checks)) {
    const started = Date.now();
    try {
      // A plan limits how many apps one user may connect.
      const note = await check(await ConsentingUser.signUp(origin));
      console.log(`pass  ${name}  ${Date.now() - started} ms${note ? `  ${note}` : ""}`);
    } catch (error) {
      failures += 1;
      console.error(`FAIL  ${name}`, error);
    }
  }
  return failures;
});
process.exitCode = failed === 0 ? 0 : 1;
