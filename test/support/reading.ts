import type { Wire } from "#platforms/contract.ts";
import type { ScriptedWire } from "./answering.ts";

export interface ReadingWire extends ScriptedWire {
  /** What each request carried, in order; empty for those without a streamed body. */
  readonly bytes: readonly Uint8Array[];
}

/** Reads every streamed body to its end before it is answered, as a platform does. */
export function reading(wire: ScriptedWire): ReadingWire {
  const bytes: Uint8Array[] = [];
  const fetch: Wire["fetch"] = async (url, init = {}) => {
    const body = init.body instanceof ReadableStream ? await new Response(init.body).bytes() : new Uint8Array();
    bytes.push(body);
    return await wire.fetch(url, init);
  };
  return { sent: wire.sent, bytes, fetch };
}
