import type { FC } from "hono/jsx";

/** The path of the form that confirms a previewed edit. */
export const CONFIRM_EDIT_PATH = "/dashboard/posts/edit/confirm";

/** The hidden fields of the form that confirms an edit. The browser goes to `next` afterwards. */
export const EditConfirmFields: FC<{ confirmationToken: string; postId: string; next: string }> = (props) => (
  <>
    <input type="hidden" name="confirmation_token" value={props.confirmationToken} />
    <input type="hidden" name="post_id" value={props.postId} />
    <input type="hidden" name="next" value={props.next} />
  </>
);
