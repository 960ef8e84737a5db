import type { Context } from "#context.ts";
import { MINUTE } from "#core/clock.ts";
import { editedSet, editProblems } from "#planning/candidates/edited-posts.ts";
import { mediaListsOf } from "#planning/candidates/media-lists.ts";
import { requestedMedia } from "#planning/candidates/requested-media.ts";
import { accountFilterOf } from "#planning/candidates/resolve-targets.ts";
import { checkedTime } from "#planning/candidates/schedule-time.ts";
import { loadFacts } from "#planning/facts/load-facts.ts";
import type { Facts } from "#planning/facts/types.ts";
import type { EditInput } from "#planning/plan/types.ts";
import { type AssessedEdit, planEdit } from "#planning/present/edit.ts";
import { placeInSlots } from "#planning/slots/place-in-slots.ts";
import { assessInPhases, type Phases } from "./phases.ts";

/** Finds out what an edit does to each of its posts, and what is wrong with it; nothing is changed. */
export async function assessEdit(ctx: Context, requested: EditInput, phases: Phases): Promise<AssessedEdit> {
  const [placed = { input: requested, problems: [] }] = phases.choosesSlots
    ? await placeInSlots(ctx, [requested], { posts: requested.postIds })
    : [];
  const { input } = placed;
  const unreadable = placed.problems.length > 0 ? placed.problems : editProblems(input);
  if (unreadable.length > 0) {
    return { problems: unreadable, edit: null };
  }
  const { postIds, shiftMinutes = 0 } = input;
  const scheduledAt = checkedTime(input.scheduledAt ?? null, ctx.clock.now());
  const media = requestedMedia(ctx, mediaListsOf(input), { importsAll: phases.fetches === "all" });
  const loaded = await loadFacts(ctx, {
    accounts: accountFilterOf(input),
    mediaIds: [...new Set(media.ids)],
    times: { postIds, scheduledAt, shiftMs: shiftMinutes * MINUTE },
    previews: phases.countsPreviews ? 1 : 0,
  });
  const toSets = (facts: Facts) => [editedSet(ctx, input, media, facts)];
  const { assessed, facts } = await assessInPhases(ctx, loaded, toSets, phases);
  const [only] = assessed;
  return only?.isGood ? await planEdit(only, input, facts) : { problems: only?.problems ?? [], edit: null };
}
