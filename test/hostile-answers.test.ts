import { afterEach, describe, test, vi } from "vitest";
import { openStripe } from "#auth/billing/stripe-client.ts";
import { fetchClientDocument } from "#auth/oauth/client-document.ts";
import { clientForConnecting, clientForLogin } from "#accounts/index.ts";
import type { Context, Outbound } from "#context.ts";
import { MINUTE } from "#core/clock.ts";
import { checkPublicUrl } from "#core/public-address/check-public-url.ts";
import { findAuthorizationServer, resolveDid, resolveHandle } from "#platforms/bluesky/account.ts";
import type { Adapter, PlatformClient } from "#platforms/contract.ts";
import { adapterFor } from "#platforms/registry.ts";
import { sendTry } from "#webhooks/delivery/send-try.ts";
import { createTestContext } from "./posts/test-context.ts";
import { memoryRegistrations, oauthMethod, CLIENT_IDENTITY } from "./support/call-connector.ts";
import { HOSTILE_BODIES, type HostileBody } from "./support/hostile-bodies.ts";
import { EXTRA, HOST, mastodonAccount, mastodonJob } from "./platforms/mastodon/fixture.ts";
import { secretTokens } from "./support/platform-sample.ts";

/*
 * Whoever runs a server that a person can name may answer with anything. Every kind of call to one gets an endless, a huge, a packed
 * and a slow answer here: the service reads a bounded part of it, and ends.
 */

const MIB = 1024 ** 2;
const APP = { clientId: "", clientSecret: "", settings: {} };

interface Caller {
  readonly ctx: Context;
  readonly outbound: Outbound;
}

const mastodon = adapterFor("mastodon")!;
const connecting = ({ ctx }: Caller, adapter: Adapter): PlatformClient => clientForConnecting(ctx, adapter);
const ofLogin = ({ ctx }: Caller): PlatformClient => clientForLogin(ctx, mastodon, { hosts: [HOST] });
const bluesky = (caller: Caller): PlatformClient => connecting(caller, adapterFor("bluesky")!);

/** What is read of the answer at most, and the call. */
const CALLS: Readonly<
  Record<string, { readonly maxBytes: number; readonly call: (caller: Caller) => Promise<unknown> }>
> = {
  "a login at a server that a person names": {
    maxBytes: 2 * MIB,
    call: (caller) =>
      oauthMethod(mastodon.connect).start(connecting(caller, mastodon), APP, {
        ...CLIENT_IDENTITY,
        state: "s",
        codeVerifier: "v",
        codeChallenge: "c",
        input: { server: HOST },
        registrations: memoryRegistrations(),
        now: 0,
      }),
  },
  "the exchange of a code": {
    maxBytes: 2 * MIB,
    call: (caller) =>
      oauthMethod(mastodon.connect).exchangeCode(connecting(caller, mastodon), APP, {
        ...CLIENT_IDENTITY,
        params: { code: "c" },
        codeVerifier: "v",
        started: EXTRA,
        registrations: memoryRegistrations(),
        now: 0,
      }),
  },
  "the sync of a login by the cron": {
    maxBytes: 2 * MIB,
    call: (caller) =>
      mastodon.connect.listAccounts(ofLogin(caller), APP, secretTokens({ hosts: [HOST], extra: EXTRA })),
  },
  "the limits of a server before a preview": {
    maxBytes: 2 * MIB,
    call: async (caller) => await mastodon.fetchCapabilities?.(ofLogin(caller), mastodonAccount()),
  },
  "the publication of a post": {
    maxBytes: 2 * MIB,
    call: (caller) =>
      mastodon.commit(ofLogin(caller), mastodonJob({ account: mastodonAccount() }), {
        mediaIds: [],
        sendCount: 0,
        sentAt: null,
        createdId: null,
        refusal: null,
      }),
  },
  "the end of a login": {
    maxBytes: 2 * MIB,
    call: async (caller) =>
      await mastodon.connect.revoke?.(ofLogin(caller), APP, secretTokens({ hosts: [HOST], extra: EXTRA })),
  },
  "the account behind a handle": {
    maxBytes: 2 * MIB,
    call: (caller) => resolveHandle(bluesky(caller), "ada.example.com"),
  },
  "the identity document of an account": {
    maxBytes: 2 * MIB,
    call: (caller) => resolveDid(bluesky(caller), "did:web:pds.example.com"),
  },
  "the metadata of an authorization server": {
    maxBytes: 2 * MIB,
    call: (caller) => findAuthorizationServer(bluesky(caller), "https://pds.example.com"),
  },
  "the metadata document of an OAuth client": {
    maxBytes: 5 * 1024,
    call: ({ ctx }) => fetchClientDocument(ctx, "https://agent.example.com/client.json"),
  },
  "a webhook's receiver": {
    maxBytes: 1024,
    call: ({ ctx }) =>
      sendTry(
        ctx,
        { url: "https://hooks.example.com/x", secrets: [`whsec_${btoa("0".repeat(32))}`] },
        { id: "e", body: "{}" },
      ),
  },
  "the look-up of a host name": {
    maxBytes: 64 * 1024,
    call: ({ outbound }) =>
      checkPublicUrl(
        {
          publicFetch: (request) => outbound.publicFetch(request),
          resolver: "https://dns.example/",
          trustedOrigin: null,
        },
        "https://a.example.com/",
      ),
  },
  "the payment provider": {
    maxBytes: MIB,
    call: async ({ outbound }) => {
      const stripe = await openStripe({ outbound }, { secretKey: "sk_test_1" } as Parameters<typeof openStripe>[1]);
      return await stripe.customers.retrieve("cus_1", {}, { maxNetworkRetries: 0 }).catch((error: unknown) => error);
    },
  },
};

/** A context whose every request gets this answer. */
function answering(kind: HostileBody) {
  const answers: ReturnType<(typeof HOSTILE_BODIES)[HostileBody]>[] = [];
  const answer = () => {
    const next = HOSTILE_BODIES[kind]();
    answers.push(next);
    return Promise.resolve(next.response);
  };
  const base = createTestContext();
  const outbound: Outbound = { ...base.outbound, platformFetch: answer, publicFetch: answer };
  return { caller: { ctx: { ...base, outbound }, outbound }, answers };
}

afterEach(() => {
  vi.useRealTimers();
});

describe.each(Object.entries(CALLS))("%s", (_, { maxBytes, call }) => {
  test.for(["endless", "huge", "packed"] as const)(
    "reads a bounded part of an answer that is %s",
    async (kind, { expect }) => {
      const { caller, answers } = answering(kind);
      await call(caller);
      expect(answers.length).toBeGreaterThan(0);
      for (const { sentBytes, wasCancelled } of answers) {
        expect(sentBytes()).toBeLessThanOrEqual(maxBytes + 128 * 1024);
        expect(wasCancelled()).toBe(true);
      }
    },
  );

  test("ends although the answer never does", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { caller, answers } = answering("slow");
    const calling = call(caller);
    await vi.advanceTimersByTimeAsync(2 * MINUTE);
    await calling;
    expect(answers.every(({ wasCancelled }) => wasCancelled())).toBe(true);
  });
});
