import { setTimeout as sleep } from "node:timers/promises";
import { PLATFORMS } from "#core/platform.ts";
import type { Topic } from "./attack.ts";

/** How long (ms) the runtime's output takes to reach the log file. */
const LOG_DELAY_MS = 1000;

/** Matches query parameters that would write a secret into the logs of the called server. */
const SECRET_PARAMETER =
  /[?&](?:access_token|refresh_token|client_secret|password|fb_exchange_token|app_secret)=[^&\s]/;

/**
 * Matches lines that wrangler prints here for every request. The deployed service logs no addresses (`invocation_logs`
 * in wrangler.toml).
 */
const CALENDAR_REQUEST = /^.*GET \/calendar\/.*$/gm;

export default {
  topic: "secrets",
  attacks: [
    {
      name: "secrets in answers: another's, or one that was shown before",
      async run(service, log) {
        const user = await service.createUser();
        const cookie = await service.signIn(user);
        await service.connect(user, "bluesky");
        for (const path of [
          "/dashboard/keys",
          "/dashboard/profile",
          "/dashboard/apps",
          "/v1/accounts",
          "/v1/workspaces",
        ]) {
          const { text } = await service.send("GET", path, path.startsWith("/v1") ? { key: user.key } : { cookie });
          const shown = [...service.secrets].filter((secret) => text.includes(secret));
          log.expect(shown.length === 0, "no secret", `${path} shows ${shown.length} secrets`);
        }
      },
    },
    {
      name: "tokens in the addresses of calls to platforms",
      async run(service, log) {
        const user = await service.createUser();
        for (const platform of PLATFORMS) {
          const accountId = await service.connect(user, platform);
          await service.send("POST", "/v1/posts/preview", {
            key: user.key,
            json: { caption: "x", scheduled_at: "2027-01-01T00:00:00Z", account_ids: [accountId] },
          });
        }
        for (const platform of PLATFORMS) {
          const { text } = await service.send("GET", `/sandbox/platforms/${platform}/calls`);
          const found = SECRET_PARAMETER.exec(text);
          log.expect(!found, "no token in an address", `${platform} was called with ${found?.[0]} in the address`);
        }
      },
    },
    {
      name: "secrets in the log of the whole run",
      async run(service, log) {
        const { key } = await service.createUser();
        await service.prepare("GET", "/v1/accounts", { key });
        await sleep(LOG_DELAY_MS);
        const text = (await service.readLog()).replaceAll(CALENDAR_REQUEST, "");
        log.expect(text.length > 1000, "there is a log", "the log is empty");
        for (const secret of service.secrets) {
          const at = text.indexOf(secret);
          log.expect(at === -1, "not in the log", `the log has a secret: …${text.slice(Math.max(0, at - 100), at)}…`);
        }
      },
    },
  ],
} satisfies Topic;
