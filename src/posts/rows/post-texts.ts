import { NOW_PARAMETER } from "./post-text-form.ts";

export interface PostTextRow {
  readonly text: string;
  /** The id of a post that is overdue, null for any other. */
  readonly overdue_id: string | null;
}

const columnsOf = new Map<string, string>();

/** The columns of `PostTextRow`; built once, because they are long. */
export function postTextColumns(form: string): string {
  const columns =
    columnsOf.get(form) ?? `${form} AS text, iif(p.watch_at <= ${NOW_PARAMETER}, p.id, NULL) AS overdue_id`;
  columnsOf.set(form, columns);
  return columns;
}
