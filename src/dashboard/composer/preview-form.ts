import type { Context } from "#context.ts";
import { requireSubscription } from "#core/actor.ts";
import { HOUR } from "#core/clock.ts";
import { type Refusal, type RefusalDetail, RefusalError } from "#core/errors.ts";
import { toSentence } from "#dashboard/wording/sentence.ts";
import type { Display } from "#dashboard/wording/display.ts";
import { wordsFor } from "#dashboard/wording/field-words.ts";
import { problemInWords } from "#dashboard/wording/problem-sentences.ts";
import { type ComposerData, type EditPreview, type SchedulePreview } from "#planning/index.ts";
import { type Post } from "#posts/index.ts";
import { previewEdit, type PreviewResult, previewSchedule } from "#confirming/index.ts";
import { accountName, findAccount } from "./composer-view.ts";
import { fieldOf, type FormProblem } from "#dashboard/post-form/form-problems.ts";
import type { PostForm } from "#dashboard/post-form/post-form.ts";
import { type AccountPlatforms, toEditInput, toScheduleInput } from "#dashboard/post-form/read-post-form.ts";

type FormResult<T> =
  | { readonly ok: true; readonly value: PreviewResult<T> }
  | { readonly ok: false; readonly problems: readonly FormProblem[] };

/** A form, and how its person reads times. */
interface ShownForm {
  readonly form: PostForm;
  readonly display: Display;
}

/**
 * The name of a member that no request has. Counting it as unread makes a preview report all problems and refuse,
 * because the form itself has problems.
 */
const FORM_PROBLEMS = "form";

/** Previews a new post from the form. Problems of the form and of the preview are reported together. */
export async function previewForm(
  ctx: Context,
  data: ComposerData,
  form: PostForm,
  display: Display,
): Promise<FormResult<SchedulePreview>> {
  const { input, problems } = toScheduleInput(ctx, form, platformsOf(data), display);
  const isTimeMissing = input.scheduledAt === null;
  const scheduledAt = input.scheduledAt ?? ctx.clock.now() + HOUR;
  const unreadMembers = unreadMembersOf(problems, isTimeMissing);
  return collectProblems(ctx, data, { form, display }, problems, form.accountIds, () =>
    previewSchedule(ctx, { ...input, scheduledAt, unreadMembers }),
  );
}

/** Previews an edit from the form. The edit contains only what the form changes. */
export async function previewFormChanges(
  ctx: Context,
  data: ComposerData,
  post: Post,
  form: PostForm,
  display: Display,
): Promise<FormResult<EditPreview>> {
  const { input, problems } = toEditInput(ctx, form, post, platformsOf(data), display);
  const isTimeMissing = problems.some(({ field }) => field === "date" || field === "time" || field === "fold");
  const unreadMembers = unreadMembersOf(problems, isTimeMissing);
  const accountIds = (input.targetOptions ?? []).map(({ accountId }) => accountId);
  return collectProblems(ctx, data, { form, display }, problems, accountIds, () =>
    previewEdit(ctx, { ...input, unreadMembers }),
  );
}

function unreadMembersOf(problems: readonly FormProblem[], isTimeMissing: boolean): ReadonlySet<string> | undefined {
  return problems.length === 0 ? undefined : new Set(isTimeMissing ? ["scheduled_at"] : [FORM_PROBLEMS]);
}

async function collectProblems<T>(
  ctx: Context,
  data: ComposerData,
  shown: ShownForm,
  ownProblems: readonly FormProblem[],
  accountIds: readonly string[],
  preview: () => Promise<PreviewResult<T>>,
): Promise<FormResult<T>> {
  try {
    requireSubscription(ctx.actor);
    return { ok: true, value: await preview() };
  } catch (error) {
    if (!(error instanceof RefusalError) || error.refusal.code === "not_found") {
      throw error;
    }
    const problems = [...ownProblems, ...toFormProblems(ctx, data, shown, error.refusal, accountIds)];
    const unique = new Map(problems.map((problem) => [JSON.stringify([problem.field, problem.message]), problem]));
    return { ok: false, problems: [...unique.values()] };
  }
}

/** Converts a refusal's problems for the form: each with its form field and in words for people. */
function toFormProblems(
  ctx: Context,
  data: ComposerData,
  { form, display }: ShownForm,
  { message, details }: Refusal,
  accountIds: readonly string[],
): readonly FormProblem[] {
  if (details === undefined) {
    return [{ field: "", message: toSentence(message) }];
  }
  return details.map((detail) => {
    const account = detail.accountId === undefined ? undefined : findAccount(data, detail.accountId);
    return toFormProblem(ctx, display, detail, fieldOf(detail, form, accountIds), account);
  });
}

/** Converts one problem for the form. `account` is the account that the problem is about, if any. */
export function toFormProblem(
  services: Pick<Context, "adapterFor">,
  display: Display,
  problem: RefusalDetail,
  field: string,
  account: Parameters<typeof accountName>[0] | undefined,
): FormProblem {
  const sentence = problemInWords(problem, wordsFor(services, display, account?.platform));
  const { accountId } = problem;
  // Several accounts can have a problem with a shared field, so the sentence must name the account.
  const isShared = accountId !== undefined && !field.includes(accountId);
  return { field, message: isShared && account ? `${accountName(account)}: ${sentence}` : sentence };
}

function platformsOf({ accounts, post }: ComposerData): AccountPlatforms {
  return new Map([
    ...(post?.targets ?? []).map(({ accountId, platform }) => [accountId, platform] as const),
    ...accounts.map(({ id, platform }) => [id, platform] as const),
  ]);
}
