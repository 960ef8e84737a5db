import { badgateway } from "./oauth/badgateway.ts";
import { conformance } from "./oauth/mcp-conformance.ts";
import { mcpV1, mcpV2 } from "./oauth/mcp-clients.ts";
import { oauth4webapi } from "./oauth/oauth4webapi.ts";
import { openidClient } from "./oauth/openid-client.ts";
import { ConsentingUser } from "./oauth/consenting-user.ts";
import { simpleOauth2 } from "./oauth/simple-oauth2.ts";
import { withService } from "../service.ts";

/*
 * Clients that nobody on the project wrote get in by the book: `npm run judge:oauth -- [origin of a running service]`. Each
 * discovers, registers, asks a user, exchanges, calls the API, refreshes and,
 * where it can, revokes.
 */

const judges = { oauth4webapi, openidClient, badgateway, simpleOauth2, mcpV1, mcpV2, conformance };

const failed = await withService(process.argv[2], async (origin) => {
  const user = await ConsentingUser.signUp(origin);
  let failures = 0;
  for (const [name, judge] of Object.entries(judges)) {
    const started = Date.now();
    try {
      const note = await judge(user);
      console.log(`pass  ${name}  ${Date.now() - started} ms${note ? `  ${note}` : ""}`);
    } catch (error) {
      failures += 1;
      console.error(`FAIL  ${name}`, error);
    }
  }
  return failures;
});
process.exitCode = failed === 0 ? 0 : 1;
