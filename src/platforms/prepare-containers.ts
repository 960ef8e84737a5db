import { z } from "@hono/zod-openapi";
import type { JsonValue } from "#core/json.ts";
import { type PlatformResponse, readBody } from "./response.ts";
import type { Fault, Job, PrepareOutcome, PlatformClient, Result } from "./contract.ts";
import { failed, rejected, temporary, succeeded } from "./fault.ts";
import type { RequestFields } from "./request-encoding.ts";
import { graphPost, CreatedObject } from "./graph-api.ts";

/* For platforms that download the media. They create a container first: one for a single post, or one per carousel
   item and a parent. Nobody sees containers. A failed one can be created again, and an unused one expires after a
   day. */

export type ContainerState =
  | { readonly state: "finished" }
  | { readonly state: "processing" }
  /** The container failed. `canRebuild`: a new container may succeed. */
  | { readonly state: "failed"; readonly fault: Fault; readonly canRebuild: boolean };

/** How one platform creates and polls the containers of one job. */
export interface ContainerSpec {
  /** The URL that receives the POST which creates a container. */
  readonly createUrl: string;
  readonly token: string;
  /** The fields of each carousel item's container. Empty for any other post. */
  readonly childFields: readonly RequestFields[];
  /** The fields of the container that `commit` publishes, which contain the ids of its children. */
  containerFields(children: readonly string[]): RequestFields;
  readState(id: string): Promise<ContainerState>;
  toFault(response: PlatformResponse): Fault;
  readonly firstPollSeconds: number;
  /** How long (s) to wait after the status "finished", if the platform reports it too early. */
  readonly pauseAfterFinishedSeconds: number;
  readonly deadlineMs: number;
  readonly maxRebuilds: number;
}

const Cursor = z.object({
  children: z.array(z.string().nullable()),
  childrenFinished: z.boolean(),
  container: z.string().nullable(),
  /** When (ms) the containers that are polled now were created. */
  since: z.number(),
  pollCount: z.number(),
  /** Whether the wait after the status "finished" is over. */
  settled: z.boolean(),
  rebuildCount: z.number(),
});
type Cursor = z.infer<typeof Cursor>;

/** The reference for `commit`, which passes it on to `verify`. */
export const ContainerRef = z.object({
  containerId: z.string(),
  /**
   * How many publishing calls were refused with "activity restricted", which does not prove that nothing was published.
   */
  restrictedCount: z.number(),
  /** How many publishing calls were refused with "not found", which platforms have returned for existing containers. */
  notFoundCount: z.number(),
});
export type ContainerRef = z.infer<typeof ContainerRef>;

/** How long (ms) a container is used. It expires after 24 hours; an hour less leaves a margin. */
const CONTAINER_LIFETIME_MS = 23 * 3_600_000;
const MAX_POLL_SECONDS = 60;
const POLL_GROWTH = 1.5;

export async function prepareContainers(
  client: PlatformClient,
  job: Job,
  storedCursor: JsonValue | undefined,
  spec: ContainerSpec,
): Promise<PrepareOutcome> {
  const cursor = storedCursor === undefined ? newCursor(spec, job, 0) : Cursor.parse(storedCursor);
  if (cursor.container === null && cursor.children.includes(null)) {
    return await createChildren(client, job, spec, cursor);
  }
  if (cursor.container === null && !cursor.childrenFinished) {
    return await pollAll(
      job,
      spec,
      cursor,
      cursor.children.filter((id) => id !== null),
    );
  }
  if (cursor.container === null) {
    return await createPublishedContainer(client, job, spec, cursor);
  }
  if (cursor.settled) {
    return readyOutcome(cursor, cursor.container);
  }
  return await pollAll(job, spec, cursor, [cursor.container]);
}

function newCursor(spec: ContainerSpec, job: Job, rebuildCount: number): Cursor {
  return {
    children: spec.childFields.map(() => null),
    childrenFinished: spec.childFields.length === 0,
    container: null,
    since: job.now,
    pollCount: 0,
    settled: false,
    rebuildCount,
  };
}

function readyOutcome(cursor: Cursor, container: string): PrepareOutcome {
  const ref: ContainerRef = { containerId: container, restrictedCount: 0, notFoundCount: 0 };
  return { state: "ready", ref, expiresAt: cursor.since + CONTAINER_LIFETIME_MS };
}

async function createContainer(
  client: PlatformClient,
  spec: ContainerSpec,
  fields: RequestFields,
): Promise<Result<{ readonly id: string }>> {
  const response = await graphPost(client, spec.createUrl, spec.token, fields);
  const missing = "The platform created a container but did not return its id.";
  return readBody(CreatedObject, response, missing, (refusal) => spec.toFault(refusal));
}

/** Creates the missing child containers in parallel. If some fail, the cursor keeps those that succeeded. */
async function createChildren(
  client: PlatformClient,
  job: Job,
  spec: ContainerSpec,
  cursor: Cursor,
): Promise<PrepareOutcome> {
  const connectionLost = temporary("The connection to the platform broke.", { httpStatus: null });
  const results = await Promise.all(
    spec.childFields.map(async (fields, index): Promise<Result<{ readonly id: string }>> => {
      const created = cursor.children[index];
      return created
        ? succeeded({ id: created })
        : await createContainer(client, spec, fields).catch(() => failed(connectionLost));
    }),
  );
  const children = results.map((result) => (result.ok ? result.value.id : null));
  const faults = results.flatMap((result) => (result.ok ? [] : [result.fault]));
  const fault = faults.find((entry) => entry.kind !== "temporary") ?? faults[0];
  const isProgress = children.some((id, index) => id !== null && cursor.children[index] === null);
  if (fault && (fault.kind !== "temporary" || !isProgress)) {
    return { state: "refused", fault };
  }
  return { state: "again", afterSeconds: spec.firstPollSeconds, cursor: { ...cursor, children, since: job.now } };
}

async function createPublishedContainer(
  client: PlatformClient,
  job: Job,
  spec: ContainerSpec,
  cursor: Cursor,
): Promise<PrepareOutcome> {
  const created = await createContainer(
    client,
    spec,
    spec.containerFields(cursor.children.filter((id) => id !== null)),
  );
  if (!created.ok) {
    return { state: "refused", fault: created.fault };
  }
  return {
    state: "again",
    afterSeconds: spec.firstPollSeconds,
    cursor: { ...cursor, container: created.value.id, since: job.now, pollCount: 0 },
  };
}

async function pollAll(job: Job, spec: ContainerSpec, cursor: Cursor, ids: readonly string[]): Promise<PrepareOutcome> {
  const states = await Promise.all(ids.map((id) => spec.readState(id)));
  const failure = states.find((state) => state.state === "failed");
  if (failure) {
    return failure.canRebuild && cursor.rebuildCount < spec.maxRebuilds
      ? { state: "again", afterSeconds: spec.firstPollSeconds, cursor: newCursor(spec, job, cursor.rebuildCount + 1) }
      : { state: "refused", fault: failure.fault };
  }
  if (states.every((state) => state.state === "finished")) {
    return afterFinished(spec, cursor);
  }
  if (job.now - cursor.since > spec.deadlineMs) {
    return {
      state: "refused",
      fault: rejected(
        "The platform did not finish processing the media in time.",
        { httpStatus: null },
        { code: "processing_failed", category: "platform", whoMustAct: "platform" },
      ),
    };
  }
  const afterSeconds = Math.min(MAX_POLL_SECONDS, spec.firstPollSeconds * POLL_GROWTH ** cursor.pollCount);
  return { state: "again", afterSeconds, cursor: { ...cursor, pollCount: cursor.pollCount + 1 } };
}

function afterFinished(spec: ContainerSpec, cursor: Cursor): PrepareOutcome {
  if (cursor.container === null) {
    return { state: "again", afterSeconds: 0, cursor: { ...cursor, childrenFinished: true, pollCount: 0 } };
  }
  return spec.pauseAfterFinishedSeconds > 0
    ? { state: "again", afterSeconds: spec.pauseAfterFinishedSeconds, cursor: { ...cursor, settled: true } }
    : readyOutcome(cursor, cursor.container);
}
