import type { Context } from "#context.ts";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import { assess, type AssessedPost } from "#planning/assess/assess.ts";
import { editedSet, editProblems } from "#planning/candidates/edited-posts.ts";
import { mediaListsOf } from "#planning/candidates/media-lists.ts";
import { requestedMedia } from "#planning/candidates/requested-media.ts";
import { accountFilterOf } from "#planning/candidates/resolve-targets.ts";
import { checkedTime } from "#planning/candidates/schedule-time.ts";
import { loadFacts } from "#planning/facts/load-facts.ts";
import type { Facts } from "#planning/facts/types.ts";
import type { EditInput } from "#planning/plan/types.ts";
import { planFits } from "#planning/fetch/fits.ts";
import { type AssessedEdit, planEdit } from "#planning/present/edit.ts";
import { placeInSlots } from "#planning/slots/place-in-slots.ts";
import { assessInPhases, type Phases } from "./phases.ts";

/** Finds what an edit does to each of its posts, and what is wrong with it. Nothing is changed. */
export async function assessEdit(ctx: Context, requested: EditInput, phases: Phases): Promise<AssessedEdit> {
  const [placed = { input: requested, problems: [] }] = phases.choosesSlots
    ? await placeInSlots(ctx, [requested], { posts: requested.postIds })
    : [];
  const { input } = placed;
  const unreadable = placed.problems.length > 0 ? placed.problems : editProblems(input);
  if (unreadable.length > 0) {
    return { problems: unreadable, edit: null };
  }
  const { postIds, shiftMinutes = 0, clock, status, labels } = input;
  const scheduledAt = checkedTime(input.scheduledAt ?? null, ctx.clock.now());
  const media = requestedMedia(ctx, mediaListsOf(input), { importsAll: phases.fetches === "all" });
  const loaded = await loadFacts(ctx, {
    accounts: accountFilterOf(input),
    mediaIds: [...new Set(media.ids)],
    times: {
      postIds,
      scheduledAt,
      shiftMs: shiftMinutes * MINUTE + (clock?.days ?? 0) * DAY,
      slackMs: slackOf(clock),
      staysAsItIs: labels !== undefined || status === "paused" || status === "cancelled",
    },
    previews: phases.countsPreviews ? 1 : 0,
  });
  const toSets = (facts: Facts) => [editedSet(ctx, input, media, facts)];
  const { assessed, facts } = await assessInPhases(ctx, loaded, toSets, phases);
  const [only] = assessed;
  if (!only?.isGood) {
    return { problems: only?.problems ?? [], edit: null };
  }
  const before = phases.comparesWarnings === true ? await assessAsTheyAre(ctx, input, facts) : null;
  return await planEdit(only, input, facts, before);
}

/** Checks the posts without the edit by the same facts, so that only warnings that the edit causes are new. */
async function assessAsTheyAre(ctx: Context, { postIds }: EditInput, facts: Facts): Promise<readonly AssessedPost[]> {
  const set = editedSet(ctx, { postIds }, requestedMedia(ctx, mediaListsOf({}), { importsAll: false }), facts);
  const [assessed] = assess(ctx, [set], facts, await planFits(ctx, set.candidates));
  return assessed?.posts ?? [];
}

/**
 * By how much (ms) a new time of day can differ from the shifted time: at most a day, and the few hours of a clock
 * change.
 */
function slackOf(clock: EditInput["clock"]): number {
  return clock === undefined ? 0 : clock.minute === null ? CLOCK_CHANGE_MS : DAY + CLOCK_CHANGE_MS;
}

const CLOCK_CHANGE_MS = 3 * HOUR;
