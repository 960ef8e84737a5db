/** The SQL parameter for the current time in statements that select a `PostTextForm`. */
export const NOW_PARAMETER = "?3";

/** How a caller wants posts as JSON text: SQL expressions over a post `p`, for the whole post and for its summary. */
export interface PostTextForm {
  readonly full: string;
  readonly summary: string;
}
