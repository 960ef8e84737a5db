/*
 * Every public code of the product, one line per code: what whoever reads it should do. The OpenAPI document publishes these
 * lists as enums. A new code is one line here, one place that produces it and one test that expects it
 * (test/repository/public-codes.test.ts).
 */

/** `error.code` of a refusal by the product; src/api/errors.ts maps each to an HTTP status. */
export const REFUSALS = {
  invalid_request: "Correct the request as `error` says.",
  validation_failed: "Correct every member that `details` names.",
  confirmation_required: "Ask the user, then send `confirm: true`.",
  platform_not_configured: "Ask the operator to set up the platform, or choose another one.",
  invalid_confirmation_token: "Preview again and confirm the new token.",
  token_already_used: "Nothing: the confirm has done its work, and `post_ids` names the posts.",
  approval_required: "Give the user the address in `approval.url` and stop: only a signed-in person can approve.",
  approval_declined: "Read `approval.note`, if there is one, and preview something else.",
  approval_expired: "Preview again: nobody decided in time.",
  approval_stale: "Correct what `details` names and preview again.",
  approval_withdrawn: "Preview again if it is still wanted.",
  too_many_approvals: "Ask the user to decide what is waiting, or withdraw some of it.",
  scheduled_at_in_past: "Preview again with a later time.",
  post_changed: "Read the posts that `post_ids` names and preview the edit again.",
  invalid_state: "Read the current state: it does not allow this call.",
  idempotency_key_reused: "Send a new `Idempotency-Key` for another call.",
  idempotency_key_in_use: "Wait a second and send the same call again.",
  unauthenticated: "Send a valid API key or access token.",
  insufficient_scope: "Use a credential that has the scope.",
  subscription_required: "Choose a plan in the dashboard.",
  plan_required: "Choose a plan that includes this.",
  account_limit_reached: "Disconnect an account or choose a larger plan.",
  storage_limit_reached: "Wait until unused media are removed, or choose a larger plan.",
  quota_exceeded: "Free some of what `details` names, or choose a larger plan; `GET /limits` shows the use.",
  not_found: "Check the id: it is unknown, or belongs to another user.",
  rate_limited: "Wait as long as `Retry-After` says.",
  service_held: "Wait: the operator checks the posts after a restore of the database.",
} as const satisfies CodeList;

/** `error.code` of what HTTP itself refuses. */
export const HTTP_ERRORS = {
  method_not_allowed: "Use a method that the `Allow` header names.",
  payload_too_large: "Send a smaller body.",
  unsupported_media_type: "Send the body as uncompressed `application/json`.",
  overloaded: "Wait as long as `Retry-After` says and send the same call again.",
  internal_error: "Try again later; give the operator the `request_id` if it stays.",
} as const satisfies CodeList;

/** `details[].code`: one problem of a request. */
export const DETAILS = {
  required: "Send the member.",
  wrong_type: "Send the type that `message` names.",
  invalid_value: "Send one of the values that `message` names.",
  invalid_format: "Send the format that `message` names.",
  out_of_range: "Keep the number, length or count within the limit.",
  repeated: "Give the query parameter once.",
  unknown_argument: "Leave the argument out, or use one of the names in `message`.",
  invalid_characters: "Remove the characters that `message` names.",
  too_deep: "Use fewer nested levels.",
  exclusive_fields: "Send only one of the two members.",
  no_changes: "Send a change.",
  account_limit_reached: "Disconnect an account or choose a larger plan.",
  account_needs_reconnect: "Ask the user to connect the account again.",
  account_not_eligible: "Choose another account, or change the account at the platform as `message` says.",
  account_not_found: "Choose one of the connected accounts.",
  account_not_on_post: "Name an account that the post has.",
  duplicate_account: "Name each account once.",
  duplicate_post: "Name each post once.",
  platform_not_configured: "Ask the operator to set up the platform, or leave it out.",
  targets_required: "Say where to post: `targets`, `account_ids` or `platforms`.",
  targets_fixed: "Keep the accounts of a failed post; change them with `target_options`.",
  target_closed: "Leave this account out: its target can no longer be changed.",
  already_published: "Leave this account out: it has the post already.",
  nothing_to_retry: "Look at the accounts: no target is known to have failed.",
  post_not_found: "Check the id: it is unknown, or belongs to another user.",
  invalid_state: "Leave this post out: its status does not allow the edit.",
  plan_too_large: "Edit fewer posts at once.",
  post_changed: "Read the post and preview the edit again.",
  scheduled_at_required: "Send a new time.",
  scheduled_at_in_past: "Send a later time.",
  scheduled_at_too_far: "Send a time within the next 365 days.",
  local_time_does_not_exist: "Send a time that the clock shows that day: it is moved forward.",
  offset_disagrees: "Leave the offset out and name the time zone, or send the time in UTC with Z.",
  daily_cap_reached: "Choose another day: the platform limits posts per account.",
  post_type_mismatch: "Leave `post_type` out, or make it agree with the media.",
  caption_required: "Send a caption.",
  caption_too_long: "Shorten the caption to the limit.",
  caption_invalid: "Change the caption as `message` says.",
  too_many_cashtags: "Use fewer cashtags.",
  too_many_hashtags: "Use fewer hashtags.",
  too_many_links: "Use fewer links.",
  too_many_mentions: "Mention fewer accounts.",
  option_required: "Send the option.",
  option_invalid: "Send the option as the platform's schema says.",
  option_conflict: "Leave out one of the options, or change the media.",
  option_not_allowed: "Choose a value that the account may use.",
  board_not_found: "Choose one of the account's boards.",
  media_required: "Add an image or a video.",
  media_mixed: "Use either images or videos.",
  media_too_many: "Use fewer media items.",
  media_not_found: "Import or upload the file again.",
  media_not_ready: "Finish the upload first.",
  media_type_mismatch: "Declare the type that the bytes have.",
  media_type_unsupported: "Convert the file to a type that `message` names.",
  media_malformed: "Export the file again: it is damaged.",
  media_truncated: "Send the file again: it is cut off.",
  media_suspicious: "Export the file again from its original: it contains something else as well.",
  media_empty: "Send a file that is not empty.",
  media_too_large: "Make the file smaller.",
  media_too_small: "Use a larger file.",
  media_dimensions: "Scale the image or video to the allowed width and height.",
  media_aspect_ratio: "Crop the image or video to the allowed ratio.",
  media_duration: "Cut the video to the allowed duration.",
  media_frame_rate: "Convert the video to the allowed frame rate.",
  media_frames: "Use fewer or smaller frames in the animation.",
  media_codec: "Convert the file to a codec that `message` names.",
  filename_invalid: "Send a file name of the allowed length.",
  size_mismatch: "Send exactly the announced bytes.",
  part_missing: "Send the missing part.",
  storage_limit_reached: "Wait until unused media are removed, or choose a larger plan.",
  quota_exceeded: "Stay within the limit that `message` names, or wait as long as `Retry-After` says.",
  url_invalid: "Send a complete https:// URL.",
  url_too_long: "Send a shorter URL.",
  url_not_https: "Send an https:// URL.",
  url_has_port: "Send a URL on the default port.",
  url_has_credentials: "Send a URL without user name and password.",
  url_not_public: "Send a URL of the public internet.",
  name_not_found: "Check the host name: it does not exist.",
  source_unreachable: "Check the URL or try again later.",
  source_refused: "Use a URL from which everybody can download the file.",
  source_broke_off: "Try again, or use another URL.",
  too_many_redirects: "Send the URL at which the redirects end.",
} as const satisfies CodeList;

/** `error.code` of a target: why it was not published. */
export const TARGET_ERRORS = {
  auth_expired: "Connect the account again.",
  missing_scope: "Connect the account again and grant every permission.",
  account_disconnected: "Connect the account again, then schedule the post again.",
  account_not_eligible: "Change the account at the platform as `message` says.",
  account_restricted: "Open the platform and follow its steps to unlock the account.",
  activity_restricted: "Wait some hours: the platform slows this account down.",
  page_authorization: "Open the Page at the platform and follow its steps.",
  identity_unconfirmed: "Open the platform and confirm the identity.",
  no_channel: "Create a channel at the platform, then connect again.",
  not_permitted: "Check what the platform allows this account to do.",
  privacy_not_allowed: "Choose a privacy setting that the account may use.",
  quote_not_allowed: "Post without the quote.",
  board_not_found: "Choose another board.",
  not_found: "Check what the post refers to: the platform does not find it.",
  duplicate_content: "Change the text: the account has just posted the same.",
  content_refused: "Change the content: the platform refuses it.",
  rejected: "Change the post as `message` says.",
  caption_too_long: "Shorten the caption.",
  too_many_links: "Use fewer links.",
  too_many_mentions: "Mention fewer accounts.",
  media_required: "Add the media that the platform needs.",
  media_invalid: "Replace the file as `message` says.",
  media_too_large: "Make the file smaller.",
  media_unreachable: "Try again: the platform could not download the file.",
  media_url_unverified: "The operator verifies the media URL at the platform.",
  media_processing: "Wait: the platform still processes the media.",
  chunk_too_large: "The operator reports this: the platform refused the size of an upload request.",
  upload_expired: "Retry: the platform no longer has the uploaded file.",
  container_expired: "Retry: the platform no longer has the prepared post.",
  processing_failed: "Retry: the platform could not process the post.",
  became_draft: "Publish the draft at the platform.",
  cancelled_at_platform: "Nothing, or schedule the post again: it was cancelled at the platform.",
  daily_cap_reached: "Wait a day: the account has used up its posts.",
  too_many_drafts: "Finish or delete drafts at the platform.",
  rate_limited: "Wait: the platform accepts no more calls at the moment.",
  quota_exceeded: "Wait for the next period, or the operator asks the platform for more quota.",
  credits_depleted: "The operator buys credits at the platform.",
  app_misconfigured: "The operator checks the app credentials.",
  app_not_allowed: "The operator asks the platform for this permission of the app.",
  app_not_audited: "The operator has the app audited by the platform.",
  app_too_old: "Update the platform's app on the phone.",
  app_trial_access: "The operator applies for standard access of the app.",
  app_user_cap: "Wait a day: the app has reached its daily number of accounts.",
  proof_refused: "The operator reports this: the server refused how the login proves itself.",
  identity_not_found: "Check the handle: nothing is found under it.",
  server_unsupported: "Use another server: this one lacks what this service needs.",
  service_blocked: "The operator asks the server why it blocks this service.",
  server_not_public: "Connect the account again: its server is not on the public internet.",
  server_gone: "Connect the account at its new server: the old one has shut down.",
  api_version_retired: "The operator updates this service.",
  platform_not_configured: "The operator sets up the platform's credentials.",
  platform_unavailable: "Wait: the platform did not answer as it should.",
  refresh_in_progress: "Wait: the login is being refreshed.",
  token_unreadable: "The operator checks the encryption keys; then connect the account again.",
  deadline: "Schedule the post again: it could not be published in time.",
  missed_window: "Schedule the post again: its time passed while it could not be published.",
  outcome_unknown: "Check the account before posting again: it may have the post.",
  database_restored:
    "Check the account, then schedule the post again: it was not sent after a restore of the database.",
  plan_mismatch: "Schedule the post again and tell the operator: the stored post is not what was confirmed.",
  internal_error: "Tell the operator.",
} as const satisfies CodeList;

/** Why a login did not connect an account; the connect page shows the sentence, and no post has it. */
export const LOGIN_ERRORS = {
  login_cancelled: "Start again if that was not intended.",
  login_refused: "Start again, and check what was entered.",
} as const satisfies CodeList;

/** `warnings[].code` of a preview: the post can be confirmed as it is. */
export const WARNINGS = {
  account_disconnected: "Connect the account again, or it is left out.",
  account_needs_reconnect: "Connect the account again before the post is due.",
  account_not_eligible: "Check the account at the platform before the post is due.",
  missing_scope: "Connect the account again and grant every permission.",
  platform_without_account: "Connect an account of the platform, or leave the platform out.",
  due_soon: "Confirm at once.",
  local_time_ambiguous: "Send the time with its offset if the second of the two is meant.",
  duplicate_text: "Change one of the texts, or set the posts further apart.",
  caption_near_limit: "Shorten the caption if the platform counts it differently.",
  caption_may_be_cut: "Shorten the caption if all of it must be shown.",
  caption_lost: "Add the caption at the platform.",
  many_hashtags: "Use fewer hashtags.",
  one_topic: "Use one hashtag: the platform uses only the first as a topic.",
  link_may_be_refused: "Check the link.",
  url_costs_more: "Leave the URL out to pay less.",
  quote_may_become_link: "Leave the quote out if a link is not acceptable.",
  option_ignored: "Leave the option out: it has no effect here.",
  option_not_allowed: "Change the setting at the platform if the option matters.",
  draft_unfinished: "Finish the draft in the platform's app.",
  may_become_draft: "Check at the platform after the post is due.",
  short_over_a_minute: "Cut the video if it must be shown everywhere.",
  alt_text_missing: "Describe the image or video for people who cannot see it.",
  media_aspect_ratio: "Crop the image or video if the platform must show all of it.",
  media_cropped: "Crop the images yourself if the platform's cut is not acceptable.",
  media_duration: "Cut the video if the platform must show all of it.",
  media_layout: "Export the video again as a plain MP4 with its index first.",
  media_near_limit: "Make the file smaller if it must pass everywhere.",
  media_scaled: "Scale the file yourself if the platform's result is not acceptable.",
  media_small: "Use a larger image.",
  media_type_uncertain: "Convert the file to be safe.",
} as const satisfies CodeList;

/** `paused_reason` of a post. */
export const PAUSED_REASONS = {
  user: "Resume the post, or edit it to a future time.",
  subscription: "Choose a plan in the dashboard.",
  account: "Connect the account again, or choose another account.",
  restored:
    "Check the account: the database was put back, and the post may be outdated. Then resume, edit or cancel it.",
} as const satisfies CodeList;

type CodeList = Readonly<Record<string, string>>;
type CodeOf<List extends CodeList> = keyof List & string;

export type RefusalCode = CodeOf<typeof REFUSALS>;
export type HttpErrorCode = CodeOf<typeof HTTP_ERRORS>;
export type DetailCode = CodeOf<typeof DETAILS>;
export type TargetErrorCode = CodeOf<typeof TARGET_ERRORS>;
export type LoginErrorCode = CodeOf<typeof LOGIN_ERRORS>;
export type WarningCode = CodeOf<typeof WARNINGS>;
export type PausedReason = CodeOf<typeof PAUSED_REASONS>;

/** The codes of a list, in its order. */
export function codesOf<List extends CodeList>(list: List): readonly CodeOf<List>[] {
  return Object.keys(list);
}

export function isCodeOf<List extends CodeList>(list: List, code: unknown): code is CodeOf<List> {
  return typeof code === "string" && Object.hasOwn(list, code);
}
