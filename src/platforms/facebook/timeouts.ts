/*
 * How long a call may take. Meta's own SDK waits 60 seconds for a call and up to two hours for an upload
 * (DEFAULT_REQUEST_TIMEOUT and DEFAULT_VIDEO_UPLOAD_REQUEST_TIMEOUT of facebook/php-graph-sdk, FacebookClient.php). Uploads
 * wait less here: an interrupted one is continued, and an alarm of the publisher ends after minutes.
 */
export const CALL_TIMEOUT_MS = 60_000;
export const UPLOAD_TIMEOUT_MS = 120_000;
