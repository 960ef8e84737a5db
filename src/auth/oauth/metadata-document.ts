import { z } from "zod";
import { HOUR, MINUTE, SECOND } from "#core/clock.ts";
import type { Outbound } from "#context.ts";
import { displayName, displayUri } from "./display-name.ts";
import { isRegistrable } from "./redirect-uri.ts";

/*
 * Client id metadata documents: the client's id is the https address of a document that describes it. The address comes
 * from a stranger, so that every rule here is about what may be fetched and how much of the answer is read.
 */

const BYTES_MAX = 5 * 1024;
const TIMEOUT_MS = 5 * SECOND;
const CACHE_MIN_MS = 5 * MINUTE;
const CACHE_MAX_MS = 24 * HOUR;
const ID_MAX = 500;

const Document = z.object({
  client_id: z.string(),
  client_name: z.string().min(1),
  client_uri: z.unknown().optional(),
  redirect_uris: z.array(z.string()).min(1),
  token_endpoint_auth_method: z.string().optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  client_secret: z.never().optional(),
  client_secret_expires_at: z.never().optional(),
});

export interface DocumentClient {
  readonly name: string;
  readonly uri: string | null;
  readonly redirectUris: string[];
  readonly cacheMs: number;
}

/** Whether an id has the one spelling of an address that may be fetched. */
export function isDocumentId(id: string): boolean {
  if (!id.startsWith("https://") || id.length > ID_MAX || id.includes("#") || !URL.canParse(id)) {
    return false;
  }
  const url = new URL(id);
  return (
    // The parser resolves dot segments, default ports, case and escapes: an id that changes in it was spelled another way.
    url.href === id &&
    url.pathname !== "/" &&
    url.username === "" &&
    url.password === "" &&
    url.port === "" &&
    /^(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*$/.test(url.hostname)
  );
}

/** Fetches and checks a document; null for anything that is not exactly one. */
export async function fetchDocument(
  outbound: Pick<Outbound, "publicFetch">,
  id: string,
): Promise<DocumentClient | null> {
  try {
    const response = await outbound.publicFetch(
      new Request(id, {
        headers: { accept: "application/json" },
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }),
    );
    if (response.status !== 200) {
      await response.body?.cancel();
      return null;
    }
    const text = await readBounded(response);
    return text === null ? null : check(id, text, response.headers.get("cache-control"));
  } catch {
    // Unreachable, too slow, not text, not JSON: the person reads the same sentence for all of them.
    return null;
  }
}

async function readBounded(response: Response): Promise<string | null> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  let text = "";
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > BYTES_MAX) {
      return null;
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function check(id: string, text: string, cacheControl: string | null): DocumentClient | null {
  const parsed = Document.safeParse(JSON.parse(text));
  if (!parsed.success) {
    return null;
  }
  const document = parsed.data;
  const method = document.token_endpoint_auth_method ?? "none";
  const isPublic = method === "none" || (document.token_endpoint_auth_methods_supported ?? []).includes("none");
  const name = displayName(document.client_name);
  if (document.client_id !== id || !isPublic || name === "" || !isRegistrable(document.redirect_uris)) {
    return null;
  }
  const maxAgeMs = Number(/(?:^|[\s,])max-age=(\d{1,9})/i.exec(cacheControl ?? "")?.[1] ?? 0) * SECOND;
  return {
    name,
    uri: displayUri(document.client_uri),
    redirectUris: document.redirect_uris,
    cacheMs: Math.min(Math.max(maxAgeMs, CACHE_MIN_MS), CACHE_MAX_MS),
  };
}
