export interface Release {
  readonly tag: string;
  readonly lastMigration: string;
}

/** The release whose code must run on the tables of the next one; null before the first. `npm run release` wants its own tag here. */
export const LAST_RELEASE: Release | null = null;
