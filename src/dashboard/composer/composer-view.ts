import { listBoards, type TargetAccount } from "#accounts/index.ts";
import type { Context, Services } from "#context.ts";
import { RefusalError } from "#core/errors.ts";
import { PLATFORM_NAMES } from "#core/platform.ts";
import { toSentence } from "#dashboard/wording/sentence.ts";
import type { Display } from "#dashboard/wording/display.ts";
import { specsOf } from "#dashboard/wording/field-words.ts";
import type { Board, CreatorInfo } from "#platforms/contract.ts";
import { type ComposerData, readCreators } from "#planning/index.ts";
import { type Post } from "#posts/index.ts";
import type { FormProblem } from "#dashboard/post-form/form-problems.ts";
import type { PostForm } from "#dashboard/post-form/post-form.ts";

/** The boards of an account, or a sentence that says why the platform did not list them. */
type BoardsResult =
  | { readonly ok: true; readonly boards: readonly Board[] }
  | { readonly ok: false; readonly message: string };

/** What the platforms answered about the chosen accounts, by account id. */
export interface AccountSettings {
  readonly boards: ReadonlyMap<string, BoardsResult>;
  readonly creators: ReadonlyMap<string, CreatorInfo>;
}

/** Everything that the composer shows. */
export interface ComposerView extends AccountSettings {
  readonly services: Pick<Services, "adapterFor" | "config">;
  /** Whether this installation can convert HEIC and AVIF images. */
  readonly canConvert: boolean;
  readonly data: ComposerData;
  readonly form: PostForm;
  readonly problems: readonly FormProblem[];
  readonly display: Display;
  readonly now: number;
  /** The workspace to which uploaded files belong. */
  readonly workspaceId: string;
}

/**
 * Asks the platforms of the chosen accounts in parallel. If one does not answer, the page says so, and the others still
 * work.
 */
export async function readAccountSettings(ctx: Context, accounts: readonly TargetAccount[]): Promise<AccountSettings> {
  const usable = accounts.filter(({ status }) => status === "active");
  const withBoards = usable.filter(({ platform }) => ctx.adapterFor(platform)?.listBoards !== undefined);
  const [creators, boards] = await Promise.all([
    readCreators(ctx, usable),
    Promise.all(withBoards.map(async (account) => [account.id, await readBoards(ctx, account)] as const)),
  ]);
  return { creators, boards: new Map(boards) };
}

async function readBoards(ctx: Context, { id, platform }: TargetAccount): Promise<BoardsResult> {
  try {
    return { ok: true, boards: await listBoards(ctx, { accountId: id, platform }) };
  } catch (error) {
    if (error instanceof RefusalError) {
      return { ok: false, message: toSentence(error.refusal.message) };
    }
    throw error;
  }
}

export function accountName({ platform, username }: Pick<TargetAccount, "platform" | "username">): string {
  return `${PLATFORM_NAMES[platform]} ${username}`;
}

/** The connected accounts, and the stored post, which also knows accounts that were disconnected. */
export interface KnownAccounts {
  readonly accounts: readonly Pick<TargetAccount, "id" | "platform" | "username">[];
  readonly post: Pick<Post, "targets"> | null;
}

/** Finds an account that the form names. For a disconnected account, it returns what the stored post knows. */
export function findAccount({ accounts, post }: KnownAccounts, id: string) {
  return accounts.find((account) => account.id === id) ?? post?.targets.find(({ accountId }) => accountId === id);
}

export function optionSpecsOf(
  { services, data }: Pick<ComposerView, "services"> & { readonly data: KnownAccounts },
  accountId: string,
) {
  return specsOf(services, findAccount(data, accountId)?.platform);
}
