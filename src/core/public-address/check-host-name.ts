import { fetchAnswer, type RemoteFetch } from "#core/fetch-answer.ts";
import { isIpAddress, nonPublicRange } from "./ip-ranges.ts";
import { type AddressCheck, addressRefused } from "./address-check.ts";

const TIMEOUT_MS = 5000;
const MAX_RESPONSE_BYTES = 64 * 1024;
const RECORD_TYPES = ["A", "AAAA"] as const;

interface DnsRecord {
  readonly data?: unknown;
  readonly type?: unknown;
}

/** Looks up a host name by DNS over HTTPS (JSON form). Null if the resolver gives no usable response. */
async function resolveRecords(
  publicFetch: RemoteFetch,
  resolver: string,
  host: string,
  type: string,
): Promise<string[] | null> {
  const queryUrl = new URL(resolver);
  queryUrl.searchParams.set("name", host);
  queryUrl.searchParams.set("type", type);
  try {
    const answer = await fetchAnswer(
      publicFetch,
      queryUrl,
      { headers: { accept: "application/dns-json" }, redirect: "manual" },
      { maxBytes: MAX_RESPONSE_BYTES, timeoutMs: TIMEOUT_MS },
    );
    if (answer.status !== 200 || answer.body !== "whole") {
      return null;
    }
    const body = JSON.parse(new TextDecoder().decode(answer.bytes)) as { Answer?: unknown } | null;
    const records: readonly (DnsRecord | null)[] = Array.isArray(body?.Answer) ? body.Answer : [];
    return records.flatMap((record) =>
      typeof record?.data === "string" && isIpAddress(record.data) ? [record.data] : [],
    );
  } catch {
    return null;
  }
}

/**
 * Refuses a host name that resolves to a non-public address. The name may resolve differently a moment later, so the
 * runtime must refuse private networks too. A name that does not resolve is refused, because nothing could be checked.
 */
export async function checkHostName(
  publicFetch: RemoteFetch,
  resolver: string | null,
  url: URL,
): Promise<AddressCheck> {
  const host = url.hostname.replace(/\.+$/, "");
  if (resolver === null || isIpAddress(host.replace(/^\[(.*)\]$/, "$1"))) {
    return { ok: true, value: url };
  }
  const results = await Promise.all(RECORD_TYPES.map((type) => resolveRecords(publicFetch, resolver, host, type)));
  if (results.some((addresses) => addresses === null)) {
    return addressRefused("source_unreachable", "the host name could not be looked up; try again");
  }
  const addresses = results.flatMap((resolved) => resolved ?? []);
  if (addresses.length === 0) {
    return addressRefused("name_not_found", "the host name does not resolve to any IP address; check its spelling");
  }
  return addresses.some((address) => nonPublicRange(address) !== null)
    ? addressRefused("url_not_public", "the URL does not lead to the public internet; use one that everybody can open")
    : { ok: true, value: url };
}
