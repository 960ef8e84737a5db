import { accountsStatement, readAccounts } from "#accounts/index.ts";
import type { Context } from "#context.ts";
import { MINUTE } from "#core/clock.ts";
import type { Detail } from "#core/errors.ts";
import type { JsonObject } from "#core/json.ts";
import { type Choice, choose, lookupOf } from "#posting/preview/resolve-targets.ts";
import { cappedAccounts, longestCapWindowMs } from "#posting/preview/daily-caps.ts";
import { applyEdit, choosesAccounts, type EditedPost, type EditSetting, inputProblems } from "./apply-edit.ts";
import { changedTargets, diffEdit } from "./edit-diff.ts";
import { freshCapabilities } from "#posting/preview/refresh-capabilities.ts";
import { searchMedia } from "#posting/preview/resolve-media.ts";
import { judge, type Judgement, postTypeOf } from "#posting/preview/validate-targets.ts";
import { type PlannedEdit, platformsOf, storedMedia } from "#posting/confirm/post-plan.ts";
import { planHashOf } from "#posting/confirm/plan-hash.ts";
import { refuseProblems } from "#posting/refusals.ts";
import { type PostRow, toStoredPost } from "#posting/calendar/post-rows.ts";
import { timeWarnings } from "#posting/preview/validate-schedule-time.ts";
import { inOrder, postsStatement } from "#posting/calendar/store-posts.ts";
import { byAccount, editNeighboursStatement, type NeighbourRow } from "#posting/preview/store-daily-caps.ts";
import { type FactsRow, postAccountsStatement, postFactsStatement, readFacts, readPostAccounts } from "./store-edit.ts";
import { issueToken, lifetimeFrom } from "#posting/confirm/confirmation-token.ts";
import type { EditInput, EditPreview, Previewed } from "#posting/types.ts";
import { targetTexts, textProblems } from "#posting/preview/validate-text-encoding.ts";

/** Shows what an edit makes of every post and keeps it for the confirm; the posts stay as they are. */
export async function previewEdit(ctx: Context, input: EditInput): Promise<Previewed<EditPreview>> {
  const unfit = [...inputProblems(input), ...textsOf(input)];
  if (unfit.length > 0) {
    refuseProblems(unfit);
  }
  const gathered = await gather(ctx, input);
  const { setting, rows, neighbours, mediaParams } = gathered;
  const problems: Detail[] = [...gathered.problems];
  const edits: EditedPost[] = [];
  for (const [index, id] of input.postIds.entries()) {
    const row = rows.find((found) => found.id === id);
    if (!row) {
      problems.push({ code: "post_not_found", message: "post not found", param: `post_ids[${index}]` });
      continue;
    }
    const edited = applyEdit(toStoredPost(row, setting.now), input, setting);
    problems.push(...named(input, id, edited.problems));
    if (edited.ok) {
      edits.push(edited.value);
    }
  }
  const capabilities = await freshCapabilities(
    ctx,
    distinct(edits.flatMap((edited) => edited.choices.filter(({ resting }) => !resting))),
  );
  const judged = edits.map((edited) => ({ edited, judgement: judgeEdit(ctx, edited, mediaParams, capabilities) }));
  for (const { edited, judgement } of judged) {
    const { id } = edited.was.post;
    problems.push(
      ...named(input, id, judgement.problems),
      ...named(input, id, cappedAccounts(ctx, edited.choices, crowd(neighbours, edits, edited), edited.scheduledAt)),
    );
  }
  if (problems.length > 0) {
    refuseProblems(problems);
  }
  const planned = await Promise.all(judged.map(({ edited, judgement }) => plan(edited, judgement, setting)));
  if (planned.every(({ shown }) => shown.changes.length === 0)) {
    refuseProblems([{ code: "no_changes", message: "this edit changes nothing" }]);
  }
  const { userId, workspaceId } = ctx.actor;
  const lifetime = lifetimeFrom(setting.now);
  const confirmationToken = await issueToken(ctx, {
    kind: "edit",
    userId,
    workspaceId,
    ...lifetime,
    needs: needsOf(edits, setting),
    posts: planned.map(({ write }) => write),
  });
  return {
    preview: { action: "edit", posts: planned.map(({ shown }) => shown) },
    confirmationToken,
    expiresAt: lifetime.expiresAt,
  };
}

interface Gathered {
  readonly setting: EditSetting;
  readonly rows: readonly PostRow[];
  readonly neighbours: ReadonlyMap<string, readonly number[]>;
  readonly mediaParams: readonly string[];
  readonly problems: readonly Detail[];
}

/** Everything an edit looks at, in one round trip. */
async function gather(ctx: Context, input: EditInput): Promise<Gathered> {
  const { db, actor } = ctx;
  const { postIds } = input;
  const search = await searchMedia(ctx, input);
  const lookup = choosesAccounts(input) ? lookupOf(input) : { ids: [], platforms: [] };
  const retiming = { postIds, scheduledAt: input.scheduledAt ?? null, shiftMs: (input.shiftMinutes ?? 0) * MINUTE };
  const [posts, chosenRows, accountRows, factsRows, mediaRows, neighbourRows] = await db.d1.batch([
    postsStatement(db, actor, postIds),
    accountsStatement(db, actor, lookup),
    postAccountsStatement(db, actor, postIds),
    postFactsStatement(db, actor, postIds),
    search.statement ?? db.d1.prepare("SELECT NULL WHERE 0"),
    editNeighboursStatement(db, actor, lookup, retiming, longestCapWindowMs(ctx)),
  ]);
  const rowsOf = <Row>(result: D1Result | undefined) => (result?.results ?? []) as Row[];
  const chosen = choosesAccounts(input) ? choose(input, readAccounts(rowsOf(chosenRows))) : null;
  const media = search.finish(rowsOf(mediaRows));
  const hasMedia = input.mediaItems !== undefined || input.mediaUrls !== undefined;
  return {
    rows: inOrder(postIds, rowsOf<PostRow>(posts)),
    neighbours: byAccount(rowsOf<NeighbourRow>(neighbourRows)),
    mediaParams: media.params,
    problems: [...(chosen?.problems ?? []), ...media.problems],
    setting: {
      chosen,
      accounts: readPostAccounts(rowsOf(accountRows)),
      media: hasMedia ? media.items : null,
      facts: readFacts(rowsOf<FactsRow>(factsRows)),
      subscribed: actor.subscribed,
      now: ctx.clock.now(),
    },
  };
}

function textsOf(input: EditInput): Detail[] {
  return [
    ...textProblems("caption", input.caption),
    ...targetTexts("targets", input.targets),
    ...targetTexts("target_options", input.targetOptions),
  ];
}

function judgeEdit(
  ctx: Pick<Context, "adapterFor" | "config">,
  { caption, media, choices }: EditedPost,
  mediaParams: readonly string[],
  capabilities: ReadonlyMap<string, JsonObject>,
): Judgement {
  return judge(ctx, { caption, postType: postTypeOf(media), media, mediaParams, choices, capabilities });
}

/** With several posts a problem has to say whose it is. */
function named(input: EditInput, postId: string, problems: readonly Detail[]): Detail[] {
  return problems.map((problem) =>
    input.postIds.length > 1 ? { ...problem, message: `post ${postId}: ${problem.message}` } : problem,
  );
}

function distinct(choices: readonly Choice[]): Choice[] {
  return [...new Map(choices.map((choice) => [choice.account.id, choice])).values()];
}

/** The other posts of each account: those that stay, and the edited ones at their new times. */
function crowd(
  neighbours: ReadonlyMap<string, readonly number[]>,
  edits: readonly EditedPost[],
  mine: EditedPost,
): ReadonlyMap<string, readonly number[]> {
  return new Map(
    mine.choices.map(({ account }) => {
      const fellows = edits.filter(
        (other) => other !== mine && other.choices.some((choice) => choice.account.id === account.id),
      );
      return [account.id, [...(neighbours.get(account.id) ?? []), ...fellows.map((other) => other.scheduledAt)]];
    }),
  );
}

function needsOf(edits: readonly EditedPost[], { media }: EditSetting) {
  const usable = edits.flatMap(({ choices }) =>
    choices.filter(({ account, resting }) => account.status === "active" && !resting),
  );
  return {
    accountIds: distinct(usable).map(({ account }) => account.id),
    mediaIds: [...new Set((media ?? []).map((item) => item.id))],
  };
}

async function plan(
  edited: EditedPost,
  judgement: Judgement,
  setting: EditSetting,
): Promise<{ readonly shown: EditPreview["posts"][number]; readonly write: PlannedEdit }> {
  const { caption, fixed, media, removed, retimed, scheduledAt, status, pausedReason, from, was } = edited;
  const { id, version } = was.post;
  const { targets, previews } = judgement;
  const postType = postTypeOf(media);
  const planHash = await planHashOf({
    postType,
    media,
    targets: [...fixed, ...targets.map((target) => ({ ...target, dueAt: scheduledAt }))],
  });
  const mediaItems = media.map(storedMedia);
  const changes = diffEdit(edited, targets);
  return {
    shown: {
      id,
      version,
      changes,
      after: {
        action: "schedule",
        scheduledAt,
        postType,
        caption,
        targets: previews,
        mediaItems,
        warnings: [...(setting.chosen?.warnings ?? []), ...timeWarnings(scheduledAt, setting.now)],
        planHash,
      },
    },
    write: {
      id,
      version,
      from,
      status,
      pausedReason,
      scheduledAt,
      retimed,
      caption,
      postType,
      platforms: platformsOf([...fixed, ...targets]),
      planHash,
      media: changes.some(({ field }) => field === "media_items") ? mediaItems : null,
      targets: changedTargets(edited, targets),
      removed,
    },
  };
}
