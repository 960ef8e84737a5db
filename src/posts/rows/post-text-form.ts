/** The SQL parameter for the current time in statements that select a `PostTextForm`. */
export const NOW_PARAMETER = "?3";

/** The caller's format for posts as JSON text: SQL expressions over a row `p` of posts, for the whole post and for its summary. */
export interface PostTextForm {
  readonly full: string;
  readonly summary: string;
}
