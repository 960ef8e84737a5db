import { NOW_PARAMETER } from "./post-text-form.ts";

export interface PostTextRow {
  readonly text: string;
  readonly overdue_id: string | null;
}

const columnsOf = new Map<string, Map<number | null, string>>();

/**
 * The columns of `PostTextRow`. `characters` shortens the text to that many; null: all of it. Each is built once, because joining texts of
 * this length takes 2 % of the instructions of a list.
 */
export function postTextColumns(form: string, characters: number | null = null): string {
  const ofForm = columnsOf.get(form) ?? new Map<number | null, string>();
  const columns =
    ofForm.get(characters) ??
    `${characters === null ? form : `substr(${form}, 1, ${characters})`} AS text, iif(p.watch_at <= ${NOW_PARAMETER}, p.id, NULL) AS overdue_id`;
  columnsOf.set(form, ofForm.set(characters, columns));
  return columns;
}
