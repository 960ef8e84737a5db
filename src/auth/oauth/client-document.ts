import { z } from "zod";
import { HOUR, MINUTE, SECOND } from "#core/clock.ts";
import { fetchAnswer } from "#core/fetch-answer.ts";
import { checkPublicUrl } from "#core/public-address/check-public-url.ts";
import type { Services } from "#context.ts";
import { displayName, displayUri } from "./display-name.ts";
import { areRegistrable } from "./redirect-uri.ts";

/* Reads client ID metadata documents: the id of an OAuth client is the https URL of a document about the client. An
   unauthenticated request chooses this URL, so this file limits which URLs are fetched and how much is read. */

const BYTES_MAX = 5 * 1024;
const TIMEOUT_MS = 5 * SECOND;
const CACHE_MIN_MS = 5 * MINUTE;
const CACHE_MAX_MS = 24 * HOUR;
const URL_MAX = 500;

const DocumentSchema = z.object({
  client_id: z.string(),
  client_name: z.string().min(1),
  client_uri: z.unknown().optional(),
  redirect_uris: z.array(z.string()).min(1),
  token_endpoint_auth_method: z.string().optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  client_secret: z.never().optional(),
  client_secret_expires_at: z.never().optional(),
});

export interface ClientDocument {
  readonly name: string;
  readonly uri: string | null;
  readonly redirectUris: string[];
  readonly cacheMs: number;
}

/** Whether a client id is a URL that the service may fetch, in canonical spelling. */
export function isClientDocumentUrl(id: string): boolean {
  if (!id.startsWith("https://") || id.length > URL_MAX || id.includes("#") || !URL.canParse(id)) {
    return false;
  }
  const url = new URL(id);
  return (
    // Parsing resolves dot segments, default ports, case and escapes. A client id that parsing changes is not
    // canonical, so it is refused.
    url.href === id &&
    url.pathname !== "/" &&
    url.username === "" &&
    url.password === "" &&
    url.port === "" &&
    /^(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*$/.test(url.hostname)
  );
}

/** Fetches and validates the metadata document of an OAuth client. Null if anything is wrong with it. */
export async function fetchClientDocument(
  { outbound, config }: Pick<Services, "outbound" | "config">,
  id: string,
): Promise<ClientDocument | null> {
  try {
    // Allow no private network address, because a client's document is never on a machine of this installation.
    const checked = await checkPublicUrl(
      {
        publicFetch: (request) => outbound.publicFetch(request),
        resolver: config.setting("MEDIA_DOH_URL"),
        trustedOrigin: null,
      },
      id,
    );
    if (!checked.ok) {
      return null;
    }
    const answer = await fetchAnswer(
      (request) => outbound.publicFetch(request),
      id,
      { headers: { accept: "application/json" }, redirect: "manual" },
      { maxBytes: BYTES_MAX, timeoutMs: TIMEOUT_MS },
    );
    if (answer.status !== 200 || answer.body !== "whole") {
      return null;
    }
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(answer.bytes);
    return parseDocument(id, text, answer.headers.get("cache-control"));
  } catch {
    // Failures are not told apart: for an unreachable, slow or unreadable document the page shows the same message.
    return null;
  }
}

function parseDocument(id: string, text: string, cacheControl: string | null): ClientDocument | null {
  const parsed = DocumentSchema.safeParse(JSON.parse(text));
  if (!parsed.success) {
    return null;
  }
  const document = parsed.data;
  const method = document.token_endpoint_auth_method ?? "none";
  const isPublic = method === "none" || (document.token_endpoint_auth_methods_supported ?? []).includes("none");
  const name = displayName(document.client_name);
  if (document.client_id !== id || !isPublic || name === "" || !areRegistrable(document.redirect_uris)) {
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
