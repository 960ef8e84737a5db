import type { Outbound } from "#context.ts";
import { isAddress, shutAddress } from "./addresses.ts";
import { type Checked, bad } from "./types.ts";

const TIMEOUT_MS = 5000;
const MAX_ANSWER_BYTES = 64 * 1024;
const RECORD_TYPES = ["A", "AAAA"] as const;

interface DnsAnswer {
  readonly data?: unknown;
  readonly type?: unknown;
}

/** The addresses of a name by DNS over HTTPS (JSON form); null when the resolver gave no usable answer. */
async function lookUp(
  outbound: Pick<Outbound, "publicFetch">,
  resolver: string,
  host: string,
  type: string,
): Promise<string[] | null> {
  const question = new URL(resolver);
  question.searchParams.set("name", host);
  question.searchParams.set("type", type);
  try {
    const response = await outbound.publicFetch(
      new Request(question, {
        headers: { accept: "application/dns-json" },
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }),
    );
    const length = Number(response.headers.get("content-length") ?? 0);
    if (response.status !== 200 || length > MAX_ANSWER_BYTES) {
      await response.body?.cancel();
      return null;
    }
    const answer: { Answer?: unknown } | null = await response.json();
    const records: readonly (DnsAnswer | null)[] = Array.isArray(answer?.Answer) ? answer.Answer : [];
    return records.flatMap((record) =>
      typeof record?.data === "string" && isAddress(record.data) ? [record.data] : [],
    );
  } catch {
    return null;
  }
}

/**
 * Refuses a name that resolves to a closed address. Only as good as the moment it is asked: the runtime's own refusal of
 * private networks stands behind it. Without an answer the name is refused, because an unchecked name is an open door.
 */
export async function checkName(
  outbound: Pick<Outbound, "publicFetch">,
  resolver: string | null,
  url: URL,
): Promise<Checked<URL>> {
  const host = url.hostname.replace(/\.+$/, "");
  if (resolver === null || isAddress(host.replace(/^\[(.*)\]$/, "$1"))) {
    return { ok: true, value: url };
  }
  const answers = await Promise.all(RECORD_TYPES.map((type) => lookUp(outbound, resolver, host, type)));
  if (answers.some((addresses) => addresses === null)) {
    return bad("name_not_checked", "the name of the source could not be looked up just now; try again");
  }
  const addresses = answers.flatMap((found) => found ?? []);
  if (addresses.length === 0) {
    return bad("name_not_found", "the name of the source does not resolve to any address; check its spelling");
  }
  return addresses.some((address) => shutAddress(address) !== null)
    ? bad("url_not_public", "the address does not lead to the public internet; use one that everybody can open")
    : { ok: true, value: url };
}
