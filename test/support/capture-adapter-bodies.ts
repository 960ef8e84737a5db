import type { PlatformClient } from "#platforms/contract.ts";
import type { ScriptedClient } from "./scripted-http-client.ts";

export interface BodyCapturingClient extends ScriptedClient {
  /** The body of each request, in order; empty for requests without a streamed body. */
  readonly bodies: readonly Uint8Array[];
}

/** Reads every streamed body to its end before the response, as a platform does. */
export function captureBodies(client: ScriptedClient): BodyCapturingClient {
  const bodies: Uint8Array[] = [];
  const fetch: PlatformClient["fetch"] = async (url, init = {}) => {
    const body = init.body instanceof ReadableStream ? await new Response(init.body).bytes() : new Uint8Array();
    bodies.push(body);
    return await client.fetch(url, init);
  };
  return { requests: client.requests, bodies, fetch };
}
