import { Webhook } from "standardwebhooks";
import type { ApiClient } from "./api-client.ts";
import type { HookState, ReceivedEvent } from "./check-events.ts";
import type { Violation } from "./check-invariants.ts";

/** A receiver of the sandbox: how it treats deliveries, in the words of `PUT /sandbox/receivers/{name}/behaviour`. */
interface ReceiverKind {
  readonly isOrdered: boolean;
  /** Whether it answers 200 to everything once the run is over. */
  readonly recovers: boolean;
  readonly answers: readonly Readonly<Record<string, unknown>>[];
}

/** The target of the redirects, which must never receive a delivery. */
const FOLLOWED = "followed";

const KINDS = {
  steady: { isOrdered: true, recovers: true, answers: [] },
  flaky: {
    isOrdered: true,
    recovers: true,
    answers: [
      { status: 500, rate: 0.1, body: "not now" },
      { status: 503, rate: 0.03, headers: { "retry-after": "1" } },
      { status: 429, rate: 0.03, headers: { "retry-after": "1" } },
      { status: 307, rate: 0.03, headers: { location: `/sandbox/receivers/${FOLLOWED}` } },
      { drop: "after", rate: 0.05 },
      { hang: true, rate: 0.005 },
      { delay_ms: 300, rate: 0.1 },
    ],
  },
  lossy: {
    isOrdered: false,
    recovers: true,
    answers: [
      { drop: "before", rate: 0.15 },
      { status: 500, rate: 0.1, body_bytes: 100_000 },
      { status: 302, rate: 0.05, headers: { location: `/sandbox/receivers/${FOLLOWED}` } },
      { drop: "after", rate: 0.05 },
      { status: 202, delay_ms: 1500, rate: 0.05 },
    ],
  },
  /** Is gone after some deliveries, and stays so. */
  gone: { isOrdered: true, recovers: false, answers: [{ status: 204, times: 40 }, { status: 410 }] },
} as const satisfies Record<string, ReceiverKind>;
type KindName = keyof typeof KINDS;

/** The hooks of each user in turn; the last one has none, and so no events. */
const KINDS_OF_USERS: readonly (readonly KindName[])[] = [
  ["steady", "flaky"],
  ["steady", "lossy"],
  ["flaky", "gone"],
  [],
];

const PAGE = 1000;

interface Hook extends Omit<HookState, "received"> {
  readonly kind: ReceiverKind;
  readonly signature: Webhook;
  /** Up to here, signatures were verified. */
  verifiedTo: number;
}

interface ReceivedDelivery {
  readonly seq: number;
  readonly received_at: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly answered: number | null;
}

const TOLERANCE_SECONDS = 300;

/** Verifies a signature at the time of its arrival, because the library uses the present time and a long run checks later. */
function signatureProblem(signature: Webhook, { headers, body, received_at }: ReceivedDelivery): string | null {
  const seconds = Number(headers["webhook-timestamp"]);
  if (!(Math.abs(Date.parse(received_at) / 1000 - seconds) <= TOLERANCE_SECONDS)) {
    return `it came at ${received_at} with the time ${headers["webhook-timestamp"]}`;
  }
  const expected = signature.sign(headers["webhook-id"] ?? "", new Date(seconds * 1000), body);
  return headers["webhook-signature"]?.split(" ").includes(expected) === true ? null : "it does not fit the body";
}

/** The webhooks of the crash test's users, whose receivers live with the simulators and so outlive the service. */
export class WebhookReceivers {
  readonly #client: ApiClient;
  readonly #origin: string;
  readonly #hooks: Hook[] = [];
  /** What is wrong with single deliveries: signatures, redirects that were followed. */
  readonly #violations: Violation[] = [];

  constructor(client: ApiClient, origin: string) {
    this.#client = client;
    this.#origin = origin;
  }

  /** Makes the hooks of the user of that number; before its first post. */
  async create(apiKey: string, user: number, seed: number): Promise<void> {
    for (const kindName of KINDS_OF_USERS[user % KINDS_OF_USERS.length] ?? []) {
      const kind: ReceiverKind = KINDS[kindName];
      const name = `${kindName}-${user}`;
      const { answers } = kind;
      await this.#client.callUntilOk("PUT", `/sandbox/receivers/${name}/behaviour`, { answers, seed: seed + user });
      const body = { url: `${this.#origin}/sandbox/receivers/${name}`, types: ["*"], description: name };
      const outcome = await this.#client.call("POST", "/v1/webhooks", body, apiKey);
      if (!outcome.answered || outcome.status !== 201) {
        throw new Error(`the hook ${name} was not made: ${JSON.stringify(outcome)}`);
      }
      const { webhook, secret } = outcome.body as { webhook: { id: string; workspace_id: string }; secret: string };
      this.#hooks.push({
        name,
        kind,
        webhookId: webhook.id,
        workspaceId: webhook.workspace_id,
        isOrdered: kind.isOrdered,
        signature: new Webhook(secret),
        verifiedTo: 0,
      });
    }
  }

  async #read(name: string, from: number): Promise<readonly ReceivedDelivery[]> {
    const all: ReceivedDelivery[] = [];
    for (let after = from; ; after = all.at(-1)?.seq ?? after) {
      const { deliveries } = await this.#client.callUntilOk(
        "GET",
        `/sandbox/receivers/${name}?after=${after}&limit=${PAGE}`,
      );
      const page = deliveries as readonly ReceivedDelivery[];
      all.push(...page);
      if (page.length === 0) {
        return all;
      }
    }
  }

  /** Verifies what has come since the last call. */
  async verify(): Promise<void> {
    for (const hook of this.#hooks) {
      for (const delivery of await this.#read(hook.name, hook.verifiedTo)) {
        hook.verifiedTo = delivery.seq;
        const problem = signatureProblem(hook.signature, delivery);
        if (problem !== null) {
          const what = `the signature of ${delivery.headers["webhook-id"]} is wrong: ${problem}`;
          this.#violations.push({ invariant: "W6", marker: hook.name, what });
        }
      }
    }
  }

  /** Everything that has arrived, and the violations that single deliveries show. */
  async read(): Promise<{ readonly hooks: readonly HookState[]; readonly violations: readonly Violation[] }> {
    await this.verify();
    const hooks: HookState[] = [];
    for (const { name, webhookId, workspaceId, isOrdered } of this.#hooks) {
      const received = (await this.#read(name, 0)).map(({ headers, body, received_at, answered }): ReceivedEvent => ({
        id: headers["webhook-id"] ?? "",
        body,
        at: Date.parse(received_at),
        answered,
      }));
      hooks.push({ name, webhookId, workspaceId, isOrdered, received });
    }
    const followed = await this.#read(FOLLOWED, 0);
    return {
      hooks,
      violations: [
        ...this.#violations,
        ...followed.map(({ headers }) => ({
          invariant: "W2",
          marker: FOLLOWED,
          what: `${headers["webhook-id"]} followed a redirect`,
        })),
      ],
    };
  }

  /** From now on, all answer 200 but those that are gone. */
  async recover(): Promise<void> {
    for (const { name } of this.#hooks.filter(({ kind }) => kind.recovers)) {
      await this.#client.callUntilOk("PUT", `/sandbox/receivers/${name}/behaviour`, {});
    }
  }
}
