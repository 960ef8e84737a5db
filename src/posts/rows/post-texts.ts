import { NOW_PARAMETER } from "./post-text-form.ts";

export interface PostTextRow {
  readonly text: string;
  /** The id of the post if it is overdue; otherwise null. */
  readonly overdue_id: string | null;
}

const columnsOf = new Map<string, string>();

/** The columns of `PostTextRow`. The text is long, so it is built only once. */
export function postTextColumns(form: string): string {
  const columns =
    columnsOf.get(form) ?? `${form} AS text, iif(p.watch_at <= ${NOW_PARAMETER}, p.id, NULL) AS overdue_id`;
  columnsOf.set(form, columns);
  return columns;
}
