import { z } from "@hono/zod-openapi";
import type { JsonValue } from "#core/json.ts";
import { type Answer, isOk, read } from "./answer.ts";
import type { Fault, Job, PrepareOutcome, PlatformClient } from "./contract.ts";
import { rejected, temporary } from "./fault.ts";
import type { Fields } from "./form.ts";
import { graphPost, Made } from "./graph.ts";

/*
 * Platforms that pull media make a container first: one for a single post, or one per item and a parent over them. All
 * of it is invisible; a container that broke is made again, and an unused one dies by itself after a day.
 */

export type ContainerState =
  | { readonly state: "finished" }
  | { readonly state: "working" }
  /** `again`: a new container may do better. */
  | { readonly state: "broken"; readonly fault: Fault; readonly again: boolean };

export interface ContainerPlan {
  /** Where containers are made. */
  readonly url: string;
  readonly token: string;
  /** The parts of a carousel; empty for everything else. */
  readonly items: readonly Fields[];
  /** The container that gets published. */
  whole(children: readonly string[]): Fields;
  state(id: string): Promise<ContainerState>;
  fault(answer: Answer): Fault;
  readonly firstPollSeconds: number;
  /** A pause after the platform said "finished", where that word comes too early. */
  readonly settleSeconds: number;
  readonly deadlineMs: number;
  readonly mostRebuilds: number;
}

const Cursor = z.object({
  children: z.array(z.string().nullable()),
  childrenFinished: z.boolean(),
  container: z.string().nullable(),
  /** When the first container of this try was made. */
  since: z.number(),
  polls: z.number(),
  settled: z.boolean(),
  rebuilds: z.number(),
});
type Cursor = z.infer<typeof Cursor>;

/** What commit gets, and what it hands to `verify`. */
export const ContainerRef = z.object({
  container: z.string(),
  /** Publishing calls answered with a restriction that has been untrue before. */
  restricted: z.number(),
  /** Publishing calls answered with "not found" for a container that may well be there. */
  notFound: z.number(),
});
export type ContainerRef = z.infer<typeof ContainerRef>;

/** A container lives 24 hours; the last one is not worth betting on. */
const LIFETIME_MS = 23 * 3_600_000;
const LONGEST_POLL_SECONDS = 60;
const POLL_GROWTH = 1.5;

export async function prepareContainers(
  client: PlatformClient,
  job: Job,
  cursor: JsonValue | undefined,
  plan: ContainerPlan,
): Promise<PrepareOutcome> {
  const step = cursor === undefined ? fresh(plan, job, 0) : Cursor.parse(cursor);
  if (step.container === null && step.children.includes(null)) {
    return await makeChildren(client, job, plan, step);
  }
  if (step.container === null && !step.childrenFinished) {
    return await pollAll(
      job,
      plan,
      step,
      step.children.filter((id) => id !== null),
    );
  }
  if (step.container === null) {
    return await makeWhole(client, job, plan, step);
  }
  if (step.settled) {
    return ready(step, step.container);
  }
  return await pollAll(job, plan, step, [step.container]);
}

function fresh(plan: ContainerPlan, job: Job, rebuilds: number): Cursor {
  return {
    children: plan.items.map(() => null),
    childrenFinished: plan.items.length === 0,
    container: null,
    since: job.now,
    polls: 0,
    settled: false,
    rebuilds,
  };
}

function ready(step: Cursor, container: string): PrepareOutcome {
  const ref: ContainerRef = { container, restricted: 0, notFound: 0 };
  return { state: "ready", ref, expiresAt: step.since + LIFETIME_MS };
}

type Create = { readonly ok: true; readonly id: string } | { readonly ok: false; readonly fault: Fault };

async function create(client: PlatformClient, plan: ContainerPlan, fields: Fields): Promise<Create> {
  const answer = await graphPost(client, plan.url, plan.token, fields);
  const made = isOk(answer) ? read(Made, answer) : undefined;
  if (made) {
    return { ok: true, id: made.id };
  }
  return {
    ok: false,
    fault: isOk(answer)
      ? temporary("The platform made a container without telling its id.", { httpStatus: answer.status })
      : plan.fault(answer),
  };
}

/** All at once; those that were made are kept when others were not. */
async function makeChildren(
  client: PlatformClient,
  job: Job,
  plan: ContainerPlan,
  step: Cursor,
): Promise<PrepareOutcome> {
  const lost = temporary("The connection to the platform broke.", { httpStatus: null });
  const results = await Promise.all(
    plan.items.map(async (fields, index): Promise<Create> => {
      const made = step.children[index];
      return made
        ? { ok: true, id: made }
        : await create(client, plan, fields).catch(() => ({ ok: false, fault: lost }));
    }),
  );
  const children = results.map((result) => (result.ok ? result.id : null));
  const faults = results.flatMap((result) => (result.ok ? [] : [result.fault]));
  const final = faults.find((fault) => fault.kind !== "temporary") ?? faults[0];
  const isProgress = children.some((id, index) => id !== null && step.children[index] === null);
  if (final && (final.kind !== "temporary" || !isProgress)) {
    return { state: "refused", fault: final };
  }
  return { state: "again", afterSeconds: plan.firstPollSeconds, cursor: { ...step, children, since: job.now } };
}

async function makeWhole(client: PlatformClient, job: Job, plan: ContainerPlan, step: Cursor): Promise<PrepareOutcome> {
  const made = await create(client, plan, plan.whole(step.children.filter((id) => id !== null)));
  if (!made.ok) {
    return { state: "refused", fault: made.fault };
  }
  return {
    state: "again",
    afterSeconds: plan.firstPollSeconds,
    cursor: { ...step, container: made.id, since: job.now, polls: 0 },
  };
}

async function pollAll(job: Job, plan: ContainerPlan, step: Cursor, ids: readonly string[]): Promise<PrepareOutcome> {
  const states = await Promise.all(ids.map((id) => plan.state(id)));
  const broken = states.find((state) => state.state === "broken");
  if (broken) {
    return broken.again && step.rebuilds < plan.mostRebuilds
      ? { state: "again", afterSeconds: plan.firstPollSeconds, cursor: fresh(plan, job, step.rebuilds + 1) }
      : { state: "refused", fault: broken.fault };
  }
  if (states.every((state) => state.state === "finished")) {
    return finished(plan, step);
  }
  if (job.now - step.since > plan.deadlineMs) {
    return {
      state: "refused",
      fault: rejected(
        "The platform did not finish processing the media in time.",
        { httpStatus: null },
        { code: "processing_failed", category: "platform", whoMustAct: "platform" },
      ),
    };
  }
  const afterSeconds = Math.min(LONGEST_POLL_SECONDS, plan.firstPollSeconds * POLL_GROWTH ** step.polls);
  return { state: "again", afterSeconds, cursor: { ...step, polls: step.polls + 1 } };
}

function finished(plan: ContainerPlan, step: Cursor): PrepareOutcome {
  if (step.container === null) {
    return { state: "again", afterSeconds: 0, cursor: { ...step, childrenFinished: true, polls: 0 } };
  }
  return plan.settleSeconds > 0
    ? { state: "again", afterSeconds: plan.settleSeconds, cursor: { ...step, settled: true } }
    : ready(step, step.container);
}
