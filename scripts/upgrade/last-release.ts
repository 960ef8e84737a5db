/**
 * What the schema is held against: the commit of the last release, or before the first one a commit of some days ago, and its last
 * migration. Making a release includes writing it here (CONTRIBUTING.md).
 */
export const LAST_RELEASE = { commit: "81788b4", lastMigration: "0020_notices_and_mails.sql" } as const;
