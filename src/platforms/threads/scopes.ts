/**
 * developers.facebook.com/documentation/threads/retrieve-and-manage-replies: for calls that write replies; the look for a lost
 * one needs that for calls that read them. Whether a reply to an own post needs the first is open (…/create-replies asks for the
 * ownership of the root post only), so it is asked for.
 */
export const WRITE_REPLIES_SCOPE = "threads_manage_replies";
export const THREAD_SCOPES = [WRITE_REPLIES_SCOPE, "threads_read_replies"] as const;
