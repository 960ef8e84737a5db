import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";

export interface Db {
  /** The binding itself: atomic writes use its `batch`, because that of drizzle has two known bugs (SCHEDULING.md 8.2). */
  readonly d1: Pick<D1Database, "prepare" | "batch">;
  /** Typed queries outside batches; created on first use, because most requests need none. */
  readonly orm: DrizzleD1Database;
}

declare const holdsPosts: unique symbol;

/** A database that holds posts: those of some workspaces, with everything that is kept or counted by post. Only `dbFor` and `undividedPostsDb` give one. */
export interface PostsDb extends Db {
  readonly [holdsPosts]: true;
}

export function openDb(d1: Db["d1"]): Db {
  let orm: DrizzleD1Database | undefined;
  return {
    d1,
    get orm() {
      orm ??= drizzle(d1 as D1Database);
      return orm;
    },
  };
}

/**
 * The database of a workspace's posts: `workspaces.shard` says which, and so far there is one. Undefined for a post whose object was armed
 * before hints named the workspace: it is in the first.
 */
export function dbFor(services: { readonly db: Db }, _workspaceId: string | undefined): PostsDb {
  return undividedPostsDb(services);
}

/** Whether a post without a known workspace would be looked for in the same database: true of all, as long as there is one. */
export function isInFirstDatabase(_workspaceId: string | undefined): boolean {
  return true;
}

/** The database of all posts, while they are in one: for what goes over the posts of every workspace, or is not told of which. */
export function undividedPostsDb({ db }: { readonly db: Db }): PostsDb {
  return db as PostsDb;
}
