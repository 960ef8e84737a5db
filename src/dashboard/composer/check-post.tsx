import type { HtmlEscapedString } from "hono/utils/html";
import { requireSubscription } from "#core/actor.ts";
import type { Context } from "#context.ts";
import { RefusalError } from "#core/errors.ts";
import { toSentence } from "#dashboard/wording/sentence.ts";
import { type Display, displayOf } from "#dashboard/wording/display.ts";
import { captionCount, charactersLeft, partCounts, problemCount } from "./caption-count.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { wordsFor } from "#dashboard/wording/field-words.ts";
import { warningInWords, warningsInWords } from "#dashboard/wording/warning-sentences.ts";
import { PostLikeness } from "#dashboard/likeness/post-likeness.tsx";
import { withinUserRateLimit } from "#dashboard/request/rate-limit.ts";
import { readBodyText } from "#dashboard/request/read-body.ts";
import { checkSchedule, type PreviewTarget, type ScheduleCheck } from "#planning/index.ts";
import { fieldOf, type FormProblem } from "#dashboard/post-form/form-problems.ts";
import { fileToCome, parsePostForm } from "#dashboard/post-form/post-form.ts";
import { toFormProblem } from "./preview-form.ts";
import { toScheduleInput } from "#dashboard/post-form/read-post-form.ts";
import { contextOf } from "#dashboard/request/context-of.ts";

/** The JSON that the composer's script gets while a person types. */
interface CheckResponse {
  /** Problems of the whole post, which prevent scheduling it. */
  readonly general: readonly string[];
  /** Problems by form field, so that the script shows each at its field. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** What the person should know about the whole post, though it can be scheduled. */
  readonly warnings: readonly string[];
  readonly accounts: Readonly<Record<string, AccountCheck>>;
}

interface AccountCheck {
  /** The text length in the platform's own unit. */
  readonly length: number;
  readonly limit: number;
  /** The text length in words, such as `56 of 2,200 characters`. */
  readonly count: string;
  /** How much room the limit leaves, or how many problems the account has, in words. */
  readonly left: string;
  /** The length of each thread part after the first, in words. */
  readonly parts: readonly { readonly count: string; readonly is_too_long: boolean }[];
  readonly warnings: readonly string[];
  readonly likeness_html: string;
}

/** Handles `POST /dashboard/posts/check`: reports what a preview of the form would say, and stores nothing. */
export async function doCheckPost(c: PageContext): Promise<Response> {
  const ctx = contextOf(c);
  if (!(await withinUserRateLimit(c, "check"))) {
    return c.json(
      response({ general: ["Too many checks in one minute: the form is checked again in a moment."] }),
      429,
    );
  }
  const form = parsePostForm(new URLSearchParams(await readBodyText(c)));
  const display = displayOf(c);
  const editedPostId = form.postId === "" ? undefined : form.postId;
  let ownProblems: readonly FormProblem[] = [];
  // The time is unknown for a post in the next free slot, because only the preview finds the slot.
  const timeOf = <Time,>(at: Time): Time | null => (form.slot === "next" ? null : at);
  const { input: withoutAccounts } = toScheduleInput(ctx, form, new Map(), display);
  const beforeAccounts = { ...withoutAccounts, scheduledAt: timeOf(withoutAccounts.scheduledAt) };
  const { scheduledAt } = beforeAccounts;
  const check = await checkSchedule(ctx, { ...beforeAccounts, editedPostId }, (accounts) => {
    const platforms = new Map(accounts.map(({ id, platform }) => [id, platform]));
    const { input, problems } = toScheduleInput(ctx, form, platforms, display);
    ownProblems = problems;
    return { ...input, scheduledAt: timeOf(input.scheduledAt), editedPostId };
  });
  const isUploading = form.media.some((entry) => fileToCome(entry) !== null);
  const problems = [
    ...ownProblems,
    ...check.problems.flatMap((problem) => {
      const { accountId } = problem;
      const account = check.accounts.find(({ id }) => id === accountId);
      const field = fieldOf(problem, form);
      // All accounts get the same files. If a platform refuses one, show the problem at the file and at the account.
      const fields = account && /^media\b/.test(field) ? [field, `account.${account.id}`] : [field];
      return fields.map((one) => toFormProblem(ctx, display, problem, one, account));
    }),
    // While files are uploading, leave out the problems of missing media.
  ].filter(({ field }) => !(isUploading && field === "media"));
  const accounts = check.targets.map(async (target) => {
    const refused = problems.filter(({ field }) => field === `account.${target.accountId}`).length;
    return [target.accountId, await describeTarget(ctx, display, target, check, refused)] as const;
  });
  return c.json(
    response({
      general: [
        ...subscriptionProblem(ctx),
        ...(check.limitReached === null ? [] : [toSentence(check.limitReached)]),
        ...problems.filter(({ field }) => field === "").map(({ message }) => message),
      ],
      fields: byField(problems),
      warnings: warningsInWords(
        ctx,
        { scheduledAt: scheduledAt ?? 0, warnings: check.warnings, targets: [] },
        { button: "Schedule", display },
      ),
      accounts: Object.fromEntries(await Promise.all(accounts)),
    }),
  );
}

function response(parts: Partial<CheckResponse>): CheckResponse {
  return { general: [], fields: {}, warnings: [], accounts: {}, ...parts };
}

function subscriptionProblem({ actor }: Pick<Context, "actor">): readonly string[] {
  try {
    requireSubscription(actor);
    return [];
  } catch (error) {
    if (error instanceof RefusalError) {
      return [toSentence(error.refusal.message)];
    }
    throw error;
  }
}

function byField(problems: readonly FormProblem[]): CheckResponse["fields"] {
  const fields = new Map<string, string[]>();
  for (const { field, message } of problems) {
    const sentences = fields.get(field) ?? [];
    if (field !== "" && !sentences.includes(message)) {
      fields.set(field, [...sentences, message]);
    }
  }
  return Object.fromEntries(fields);
}

async function describeTarget(
  services: Pick<Context, "adapterFor">,
  display: Display,
  target: PreviewTarget,
  { accounts, mediaItems }: ScheduleCheck,
  problems: number,
): Promise<AccountCheck> {
  const likeness: HtmlEscapedString | Promise<HtmlEscapedString> = (
    <PostLikeness
      platform={target.platform}
      username={target.username}
      displayName={accounts.find(({ id }) => id === target.accountId)?.displayName}
      caption={target.effectiveCaption}
      options={target.platformOptions}
      media={target.mediaItems ?? mediaItems}
      placement={target.placement}
    />
  );
  return {
    length: target.captionLength,
    limit: target.captionLimit,
    count: captionCount(services, target),
    left: problems > 0 ? problemCount(problems) : charactersLeft(target),
    parts: partCounts(target).map(({ text, isTooLong }) => ({ count: text, is_too_long: isTooLong })),
    warnings: target.warnings.map((warning) => warningInWords(warning, wordsFor(services, display, target.platform))),
    likeness_html: (await likeness).toString(),
  };
}
