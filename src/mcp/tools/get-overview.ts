import { z } from "@hono/zod-openapi";
import type { Context } from "#context.ts";
import { confirmsOf, fixedWorkspace } from "#core/actor.ts";
import { toIsoInstant } from "#core/clock.ts";
import { SCOPES, type Scope } from "#core/scope.ts";
import { POST_STATUSES } from "#core/status.ts";
import { wallTimeAt } from "#core/wall-time.ts";
import { daysAhead, fromNow, timeInWords } from "#mcp/describe/local-time.ts";
import { offsetText, wallText } from "#wire/local-time.ts";
import { quoted } from "#mcp/describe/quoted.ts";
import { defineTool } from "#mcp/tool/tool.ts";
import { listApprovals } from "#confirming/index.ts";
import { summarizeSchedule } from "#posts/index.ts";
import type { Approval } from "#confirming/requests/types.ts";
import { presentApproval } from "#wire/schemas/approval.ts";
import { presentWorkspace, type Workspace } from "#wire/schemas/workspace.ts";
import { listWorkspaces } from "#workspaces/index.ts";

const INPUT = z.object({});
const DAYS_SHOWN = 8;
/** The limit of pending approvals of a user, so that all can be listed. */
const PENDING_MAX = 100;
const DECIDED_SHOWN = 10;

async function readApprovals(ctx: Context): Promise<readonly Approval[]> {
  const { approvals } = await listApprovals(ctx, { limit: PENDING_MAX + DECIDED_SHOWN, offset: 0 });
  const decided = approvals.filter(({ state }) => state !== "pending").slice(0, DECIDED_SHOWN);
  return [...approvals.filter(({ state }) => state === "pending"), ...decided];
}

function approvalLine(timeZone: string, { state, url, posts, postIds, note, expiresAt }: Approval): string {
  const [first] = posts;
  const what = `${first === undefined ? "" : quoted(first.caption)}${posts.length > 1 ? ` and ${posts.length - 1} more` : ""}`;
  return [
    `- ${state}: ${what}`,
    ...(state === "pending" ? [`the person decides at ${url} until ${timeInWords(timeZone, expiresAt)}`] : []),
    ...(postIds === null ? [] : [`posts ${postIds.join(", ")}`]),
    ...(note === null ? [] : [`the person wrote ${quoted(note, 500)}`]),
  ].join("; ");
}

/** Reads the parts of the overview that the credential may read; the others are null. */
async function readOverview(ctx: Context) {
  const allowed = <T>(scope: Scope, read: () => Promise<T>): Promise<T | null> =>
    ctx.actor.scopes.includes(scope) ? read() : Promise.resolve(null);
  const [workspaces, summary, approvals] = await Promise.all([
    allowed("workspaces:read", () => listWorkspaces(ctx)),
    allowed("posts:read", () => summarizeSchedule(ctx, { timezone: ctx.actor.timeZone })),
    allowed("posts:read", () => readApprovals(ctx)),
  ]);
  return { workspaces: workspaces && workspaces.map(presentWorkspace), summary, approvals };
}

/** The workspace of this call may be another one than the active one. */
function workspaceLines(actor: Context["actor"], workspaces: readonly Workspace[]): string[] {
  const marks = ({ id, is_active: isActive }: Workspace) =>
    [...(isActive ? ["active"] : []), ...(id === fixedWorkspace(actor) ? ["of this call"] : [])].join(", ");
  return [
    ...workspaces.map((workspace) => {
      const marked = marks(workspace);
      return `Workspace ${workspace.id}: ${quoted(workspace.name)}${marked && ` (${marked})`}.`;
    }),
    ...(workspaces.length > 1 ? ["Every tool takes workspace_id: without it, a call works in the active one."] : []),
  ];
}

/** Null where the credential may not read which workspace is active. */
function activeIdOf(actor: Context["actor"], workspaces: readonly Workspace[] | null): string | null {
  const active = workspaces?.find(({ is_active: isActive }) => isActive)?.id ?? null;
  return active ?? (actor.workspaceFrom === "user" ? actor.workspaceId : null);
}

function clockLines(timeZone: string, now: number): string[] {
  return [
    `It is ${timeInWords(timeZone, now)}, UTC${offsetText(timeZone, now)}; ${toIsoInstant(now)}.`,
    `Days: ${daysAhead(timeZone, now, DAYS_SHOWN)}.`,
  ];
}

function credentialLines(actor: Context["actor"]): string[] {
  const { scopes } = actor;
  const missing = SCOPES.filter((scope) => !scopes.includes(scope));
  return [
    `This credential may: ${scopes.join(", ")}.${missing.length === 0 ? "" : ` Not: ${missing.join(", ")}.`}`,
    confirmsOf(actor) === "self"
      ? "What you confirm is scheduled at once."
      : "What you confirm waits for the person, who schedules it on a page of this service.",
  ];
}

export const getOverviewTool = defineTool({
  name: "get_overview",
  title: "Get an overview",
  description:
    "Call first: the date and time, the person's time zone, workspaces, what this credential may do, counts, the next post and approvals.",
  scope: null,
  hints: { readOnly: true },
  input: () => INPUT,
  async run({ ctx }) {
    const { actor, clock } = ctx;
    const { timeZone } = actor;
    const now = clock.now();
    const { workspaces, summary, approvals } = await readOverview(ctx);
    const counts = summary && POST_STATUSES.map((status) => `${summary.counts[status]} ${status}`).join(", ");
    const next = summary?.nextPostAt ?? null;
    const text = [
      ...clockLines(timeZone, now),
      ...credentialLines(actor),
      ...workspaceLines(actor, workspaces ?? []),
      ...(counts === null ? [] : [`Posts: ${counts}.`]),
      ...(summary === null
        ? []
        : [next === null ? "No post is ahead." : `Next post: ${timeInWords(timeZone, next)}, ${fromNow(next, now)}.`]),
      ...(approvals === null || approvals.length === 0
        ? []
        : ["Approvals:", ...approvals.map((approval) => approvalLine(timeZone, approval))]),
    ].join("\n");
    return {
      text,
      data: {
        now: toIsoInstant(now),
        time_zone: timeZone,
        local_time: wallText(wallTimeAt(timeZone, now)),
        utc_offset: offsetText(timeZone, now),
        workspace_id: actor.workspaceId,
        active_workspace_id: activeIdOf(actor, workspaces),
        workspaces,
        scopes: [...actor.scopes],
        plan: actor.plan,
        confirms: confirmsOf(actor),
        counts: summary && { ...summary.counts },
        next_post_at: next === null ? null : toIsoInstant(next),
        approvals: approvals && approvals.map(presentApproval),
      },
    };
  },
});
