import type { FC } from "hono/jsx";

/** The address of the form that saves a previewed edit. */
export const CONFIRM_EDIT_PATH = "/dashboard/posts/edit/confirm";

/** What that form sends; `next` is where the browser goes afterwards. */
export const EditConfirmFields: FC<{ confirmationToken: string; postId: string; next: string }> = (props) => (
  <>
    <input type="hidden" name="confirmation_token" value={props.confirmationToken} />
    <input type="hidden" name="post_id" value={props.postId} />
    <input type="hidden" name="next" value={props.next} />
  </>
);
