import * as fc from "fast-check";
import { beforeEach, expect, test, vi } from "vitest";
import { HOUR, MINUTE } from "#core/clock.ts";
import type { ApprovalState } from "#core/status.ts";
import {
  approveRequest,
  confirmPreview,
  declineRequest,
  getApproval,
  listApprovals,
  previewSchedule,
  withdrawRequest,
} from "#confirming/index.ts";
import { deleteExpiredPosts } from "#post-status/cleanup/delete-cancelled-posts.ts";
import { createAccount, freezeClock, refusalOf, updateAccountRow } from "../../posts/test-context.ts";
import { countRows, createParties, planHashOfApproval, requestWith, revoke } from "./approval-context.ts";

beforeEach(() => freezeClock());

type Operation =
  | { readonly do: "request"; readonly hours: number }
  | { readonly do: "confirm" | "approve" | "decline" | "withdraw"; readonly which: number }
  | { readonly do: "wait"; readonly minutes: number }
  | { readonly do: "cron" | "disconnect" | "reconnect" | "revoke" };

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("request"), hours: fc.integer({ min: 1, max: 6 }) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom("confirm", "approve", "decline", "withdraw"),
      which: fc.nat({ max: 20 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("wait"), minutes: fc.integer({ min: 1, max: 90 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("cron", "disconnect", "reconnect") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("revoke") }) },
);

interface Modelled {
  readonly id: string;
  readonly token: string;
  readonly planHash: string;
  readonly until: number;
  state: ApprovalState;
}

/** A credential that is revoked in the millisecond in which the approval expires. */
const REVOKED_AT_THE_END: readonly Operation[] = [
  { do: "request", hours: 1 },
  { do: "wait", minutes: 60 },
  { do: "revoke" },
  { do: "confirm", which: 0 },
];

const ANSWERS = {
  pending: "approval_required",
  approved: "token_already_used",
  declined: "approval_declined",
  expired: "approval_expired",
  stale: "approval_stale",
  withdrawn: "approval_withdrawn",
} as const satisfies Record<ApprovalState, string>;

test("after any operations, every approval is in the state that the model says, and each approved one has its post", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 30 }), async (operations) => {
      freezeClock();
      const parties = await createParties();
      const { agent, person } = parties;
      const x = await createAccount(agent);
      const model: Modelled[] = [];
      const [answers, expectedAnswers]: [string[], string[]] = [[], []];
      let [connected, revoked] = [true, false];
      const settle = () => {
        for (const one of model.filter(({ state }) => state === "pending")) {
          one.state = revoked ? "withdrawn" : one.until <= agent.clock.now() ? "expired" : "pending";
        }
      };
      for (const step of operations) {
        settle();
        if (step.do === "request") {
          if (connected && !revoked) {
            const until = agent.clock.now() + step.hours * HOUR;
            const { confirmationToken: token } = await previewSchedule(agent, {
              caption: "Hello",
              scheduledAt: until,
              accountIds: [x],
            });
            const id = await requestWith(agent, token);
            model.push({ id, token, planHash: await planHashOfApproval(id), until, state: "pending" });
          }
        } else if (step.do === "wait") {
          vi.setSystemTime(agent.clock.now() + step.minutes * MINUTE);
        } else if (step.do === "cron") {
          await deleteExpiredPosts(person);
        } else if (step.do === "disconnect" || step.do === "reconnect") {
          connected = step.do === "reconnect";
          await updateAccountRow(x, { disconnected_at: connected ? null : 1 });
        } else if (step.do === "revoke") {
          revoked = true;
          await revoke(parties);
        } else if ("which" in step && model.length > 0) {
          const one = model[step.which % model.length] as Modelled;
          const { id, token, planHash, state } = one;
          const call = {
            confirm: () => confirmPreview(agent, { confirmationToken: token }),
            approve: () => approveRequest(person, { id, planHash }),
            decline: () => declineRequest(person, { id, note: "" }),
            withdraw: () => withdrawRequest(agent, { id }),
          }[step.do];
          const succeeds = state === "pending" && step.do !== "confirm" && (step.do !== "approve" || connected);
          if (succeeds) {
            await call();
            one.state = (
              { approve: "approved", decline: "declined", withdraw: "withdrawn", confirm: "pending" } as const
            )[step.do];
          } else {
            one.state = state === "pending" && step.do === "approve" ? "stale" : state;
            const { code, approval } = await refusalOf(call());
            answers.push(`${code} ${approval?.id}`);
            expectedAnswers.push(`${ANSWERS[one.state]} ${id}`);
          }
        }
      }
      expect(answers).toEqual(expectedAnswers);
      settle();
      for (const { id, state } of model) {
        expect(await getApproval(agent, { id })).toMatchObject({ state });
      }
      const { approvals } = await listApprovals(agent, { limit: 100, offset: 0 });
      expect(approvals.map(({ id }) => id).toSorted()).toEqual(model.map(({ id }) => id).toSorted());
      const approved = model.filter(({ state }) => state === "approved").length;
      const { userId, workspaceId } = agent.actor;
      expect(await countRows(userId, workspaceId)).toMatchObject({ posts: approved, confirmations: 0 });
    }),
    { numRuns: 20, examples: [[[...REVOKED_AT_THE_END]]] },
  );
}, 60_000);
