import { accountsStatement, readAccounts, type TargetAccount } from "#accounts/index.ts";
import type { Context } from "#context.ts";
import { PLATFORMS } from "#core/platform.ts";
import {
  isMedia,
  mediaIdOf,
  mediaStatement,
  newestMediaStatement,
  parseMediaRows,
  parseReadyMediaRows,
  type ResolvedMedia,
} from "#media/index.ts";
import type { CreatorInfo } from "#platforms/contract.ts";
import { getArchivedPost } from "#posts/list/get-archived-post.ts";
import { type PostRow, toPost } from "#posts/rows/post-rows.ts";
import { postsStatement } from "#posts/rows/store-posts-by-id.ts";
import type { Post } from "#posts/rows/types.ts";
import { refreshCapabilities } from "./refresh-capabilities.ts";

/** What a person who writes or changes a post chooses from. */
export interface ComposerData {
  /** The connected accounts of the workspace, in the order in which they were connected. */
  readonly accounts: readonly TargetAccount[];
  /** The stored media among the URLs of the input, by URL. */
  readonly media: ReadonlyMap<string, ResolvedMedia>;
  /** The newest media of the workspace. */
  readonly newestMedia: readonly ResolvedMedia[];
  /** The post that is changed or copied. */
  readonly post: Post | null;
}

const NEWEST_MEDIA_COUNT = 24;

/** Reads it in one round trip; refuses a post that is not the actor's. */
export async function loadComposer(
  ctx: Pick<Context, "actor" | "bucket" | "db" | "config" | "clock">,
  input: { readonly postId: string | null; readonly mediaUrls: readonly string[] },
): Promise<ComposerData> {
  const { actor, config } = ctx;
  const db = ctx.db;
  const ids = new Map(input.mediaUrls.map((url) => [url, mediaIdOf(config, url)]));
  const storedIds = [...new Set([...ids.values()].filter((id) => id !== null))];
  const [accounts, media, newest, posts] = await db.d1.batch([
    accountsStatement(db, actor, { ids: [], platforms: PLATFORMS }),
    mediaStatement(db, actor, storedIds),
    newestMediaStatement(db, actor, NEWEST_MEDIA_COUNT),
    postsStatement(db, actor, input.postId === null ? [] : [input.postId]),
  ]);
  const [row] = (posts?.results ?? []) as unknown as readonly PostRow[];
  const archived = input.postId !== null && !row ? await getArchivedPost(ctx, { id: input.postId }) : null;
  const byId = parseMediaRows(media?.results ?? [], config);
  return {
    accounts: readAccounts(accounts?.results ?? []),
    media: new Map(
      [...ids].flatMap(([url, id]) => {
        const item = id === null ? null : byId.get(id);
        return item && isMedia(item) ? [[url, item] as const] : [];
      }),
    ),
    newestMedia: parseReadyMediaRows(newest?.results ?? [], config),
    post: row ? toPost(row, ctx.clock.now()) : archived,
  };
}

/** What the accounts may choose at their platforms now, by account; those of platforms that have nothing to show are left out. */
export async function readCreators(
  ctx: Context,
  accounts: readonly TargetAccount[],
): Promise<ReadonlyMap<string, CreatorInfo>> {
  const shown = accounts.filter(({ platform }) => ctx.adapterFor(platform)?.creatorOf !== undefined);
  const fresh = await refreshCapabilities(
    ctx,
    shown.map((account) => ({ account })),
  );
  return new Map(
    shown.flatMap((account) => {
      const settings = ctx.config.app(account.platform)?.settings ?? {};
      const capabilities = fresh.get(account.id) ?? account.capabilities;
      const creator = ctx.adapterFor(account.platform)?.creatorOf?.(capabilities, settings);
      return creator ? [[account.id, creator] as const] : [];
    }),
  );
}
