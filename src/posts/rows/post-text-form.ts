/** The parameter that holds the present time in the statements that select a `PostTextForm`. */
export const NOW_PARAMETER = "?3";

/** How a caller wants posts as text: SQL expressions over a row `p` of posts, for the whole post and for its summary. */
export interface PostTextForm {
  readonly full: string;
  readonly summary: string;
}
