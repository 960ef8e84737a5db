import { type Env, readConfig } from "#config.ts";
import { systemClock } from "#core/clock.ts";
import { IMPORT_LIMITS } from "#media/limits.ts";
import { openRemoteFile } from "#media/import/remote-file.ts";

const config = readConfig({ ORIGIN: "https://almanac.example.org" } as Partial<Env> as Env);

/*
 * Only the outgoing request of an import. The requested origin is trusted, so it passes the URL check, as a public host name
 * with a private address would: only the runtime can still refuse it.
 */
export default {
  async fetch(request) {
    const address = new URL(request.url).searchParams.get("address") ?? "";
    const outbound = {
      platformFetch: (outgoing: Request) => fetch(outgoing),
      publicFetch: (outgoing: Request) => fetch(outgoing),
      browserUrl: (url: URL) => url,
      trustedMediaOrigin: new URL(address).origin,
    };
    const opened = await openRemoteFile({ outbound, config, clock: systemClock }, address, IMPORT_LIMITS);
    if (opened.ok) {
      opened.value.close();
    }
    return new Response(opened.ok ? "opened" : opened.problem.code);
  },
} satisfies ExportedHandler;
