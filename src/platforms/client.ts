import { fetchAnswer, type RemoteFetch } from "#core/fetch-answer.ts";
import { hostMatches } from "#core/host-patterns.ts";
import type { AddressCheck } from "#core/public-address/address-check.ts";
import type { Adapter, PlatformClient } from "./contract.ts";

const TIMEOUT_MS = 20_000;
/**
 * The largest answer (bytes); lists of posts are the largest. A parsed body takes up to twenty times its size, and an
 * isolate has 128 MB.
 */
// mutant: answers-without-a-limit
const MAX_ANSWER_BYTES = 2 * 1024 ** 2;

/**
 * Records the status of a step's last response for the attempt log. Null if the last call failed without a response.
 */
export interface CallLog {
  lastStatus: number | null;
}

/** The hosts that a client may call, and the user agent of its calls. */
export interface ReachableHosts {
  /** The hosts that the adapter declares (`Adapter.hosts`). */
  readonly fixed: readonly string[];
  /**
   * Hosts that a user named: those of one login, or `any` while connecting. The client checks that they are public
   * before every call.
   */
  readonly userNamed: readonly string[] | "any";
  readonly checkAddress: (url: URL) => Promise<AddressCheck>;
  /** The `User-Agent` of every call. Some platforms refuse calls without one, and their support asks for it. */
  readonly userAgent: string;
}

/** Thrown for a call to an address that is not public. The message is a sentence for the user who named the host. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused";
}

/**
 * Creates a client that calls only hosts which the adapter or the login declared. So no upload URL and no redirect can
 * send a token to another host.
 */
export function openPlatformClient(
  platformFetch: RemoteFetch,
  hosts: ReachableHosts,
  callLog: CallLog = { lastStatus: null },
): PlatformClient {
  return {
    async fetch(url, init = {}) {
      const target = new URL(url);
      await assertReachable(hosts, target);
      callLog.lastStatus = null;
      const headers = new Headers(init.headers);
      headers.set("user-agent", hosts.userAgent);
      const answer = await fetchAnswer(
        platformFetch,
        target,
        {
          method: init.method ?? "GET",
          headers,
          ...(init.body !== undefined && { body: init.body }),
          redirect: "manual",
        },
        { maxBytes: MAX_ANSWER_BYTES, timeoutMs: init.timeoutMs ?? TIMEOUT_MS },
      );
      const { status, headers: answerHeaders, body } = answer;
      callLog.lastStatus = status;
      if (body === "broken") {
        throw answer.error;
      }
      return { status, headers: answerHeaders, text: body === "cut" ? null : new TextDecoder().decode(answer.bytes) };
    },
  };
}

async function assertReachable({ fixed, userNamed, checkAddress }: ReachableHosts, target: URL): Promise<void> {
  if (target.protocol === "https:" && hostMatches(fixed, target.hostname)) {
    return;
  }
  if (userNamed !== "any" && (target.protocol !== "https:" || !userNamed.includes(target.hostname))) {
    throw new Error(`host not declared by the adapter: ${target.hostname}`);
  }
  const checked = await checkAddress(target);
  if (!checked.ok) {
    throw new AddressRefused(`${target.hostname} cannot be used: ${checked.problem.message}.`);
  }
}

/** The hosts that an adapter's calls may reach. Hosts that users named count only if the adapter allows them. */
export function reachableHosts(
  adapter: Pick<Adapter, "hosts" | "hasUserNamedHosts">,
  { userNamed, ...rest }: Omit<ReachableHosts, "fixed">,
): ReachableHosts {
  return { fixed: adapter.hosts, userNamed: adapter.hasUserNamedHosts ? userNamed : [], ...rest };
}
