import type { PlatformClient } from "#platforms/contract.ts";
import type { ScriptedClient } from "./scripted-client.ts";

export interface BodyCapturingClient extends ScriptedClient {
  /** What each request carried, in order; empty for those without a streamed body. */
  readonly bodies: readonly Uint8Array[];
}

/** Reads every streamed body to its end before it is answered, as a platform does. */
export function captureBodies(client: ScriptedClient): BodyCapturingClient {
  const bytes: Uint8Array[] = [];
  const fetch: PlatformClient["fetch"] = async (url, init = {}) => {
    const body = init.body instanceof ReadableStream ? await new Response(init.body).bytes() : new Uint8Array();
    bytes.push(body);
    return await client.fetch(url, init);
  };
  return { requests: client.requests, bodies: bytes, fetch };
}
