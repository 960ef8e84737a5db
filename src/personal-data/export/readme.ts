import { toIsoInstant } from "#core/clock.ts";
import { EXPORTED_TABLES } from "#personal-data/tables.ts";

/** Writes the text that explains the download. The first file contains it. */
export function writeReadme({
  email,
  now,
  files,
}: {
  readonly email: string;
  readonly now: number;
  readonly files: number;
}): string {
  const width = Math.max(...EXPORTED_TABLES.map(({ file }) => file.length)) + ".json".length;
  const lines = EXPORTED_TABLES.map(({ file, about }) => `${`${file}.json`.padEnd(width)}  ${about}`);
  return `Almanac: the data of ${email}
Begun ${toIsoInstant(now)}; ${files === 1 ? "this file is all of it" : `this is the first of ${files} files`}. What changes while it is written may be in it or not.

Every .json file is an array (UTF-8), one row in a line, with the names of this service's database. A row is:

${lines.join("\n")}

posts-1.json, posts-2.json …                    posts: scheduled, paused, published, failed, and those cancelled within 30 days
archived-posts-1.json, archived-posts-2.json …  finished posts of more than a year ago, in the same form
media/{id}/{filename}                           the images and videos themselves, which are kept for 30 days after their last use

Names that end with _at, _until or _end are times (ISO 8601, UTC). Inside other values times are milliseconds since 1970 (UTC).
"targets" of a post are the accounts it went to: "effective_caption" and "options" are what was sent, "remote_id" and "remote_url" what the
platform answered, "history" the attempts, "error" why it failed. "changes" of a post says who changed what. Ids connect the rows:
workspace_id, account_id, connection_id, post_id.

Not in here: passwords, keys, tokens and secrets, or hashes of them; what is counted from these data; records that end within two days.
If a file is missing in media/, it was deleted while the download was made: missing-files.txt names it.
`;
}
