CREATE TABLE `accounts` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`connection_id` text NOT NULL,
	`platform` text NOT NULL,
	`platform_account_id` text NOT NULL,
	`username` text NOT NULL,
	`display_name` text NOT NULL,
	`avatar_url` text,
	`profile_url` text,
	`capabilities` text NOT NULL,
	`sealed_token` text,
	`missing_scopes` text NOT NULL,
	`status` text NOT NULL,
	`status_reason` text,
	`connected_at` integer NOT NULL,
	`last_synced_at` integer,
	`disconnected_at` integer,
	`blocked_by` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_platform_account` ON `accounts` (`workspace_id`,`platform`,`platform_account_id`);
--> statement-breakpoint
CREATE INDEX `accounts_connection` ON `accounts` (`connection_id`);
--> statement-breakpoint
CREATE INDEX `accounts_user` ON `accounts` (`user_id`) WHERE disconnected_at IS NULL;
--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`hint` text NOT NULL,
	`scopes` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`last_used_at` integer,
	`revoked_at` integer,
	`confirms` text DEFAULT 'self' NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_hash` ON `api_keys` (`hash`);
--> statement-breakpoint
CREATE INDEX `api_keys_user` ON `api_keys` (`user_id`);
--> statement-breakpoint
CREATE TABLE `confirmations` (
	`issued_hour` integer NOT NULL,
	`token_hash` text NOT NULL,
	`user_id` text NOT NULL,
	`nonce` text NOT NULL,
	`post_ids` text NOT NULL,
	`expected` integer NOT NULL,
	`matched` integer NOT NULL,
	PRIMARY KEY(`issued_hour`, `token_hash`),
	CONSTRAINT "stale_plan" CHECK(matched = expected)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `connect_states` (
	`hash` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`platform` text NOT NULL,
	`code_verifier` text NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	`method` text,
	`input` text,
	`sealed_started` text,
	`browser_hash` text
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `connect_states_expiry` ON `connect_states` (`expires_at`);
--> statement-breakpoint
CREATE TABLE `connections` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`platform` text NOT NULL,
	`external_id` text NOT NULL,
	`display_name` text NOT NULL,
	`sealed_tokens` text,
	`token_version` integer DEFAULT 1 NOT NULL,
	`refresh_lease_until` integer,
	`scopes` text NOT NULL,
	`token_expires_at` integer,
	`refresh_expires_at` integer,
	`status` text NOT NULL,
	`status_reason` text,
	`connected_at` integer NOT NULL,
	`last_synced_at` integer,
	`next_sync_at` integer,
	`sync_failures` integer DEFAULT 0 NOT NULL,
	`ends_at` integer,
	`grant_owner` text,
	`end_announced` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `connections_login` ON `connections` (`workspace_id`,`platform`,`external_id`);
--> statement-breakpoint
CREATE INDEX `connections_sync` ON `connections` (`platform`,`next_sync_at`) WHERE next_sync_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `connections_person` ON `connections` (`platform`,`external_id`);
--> statement-breakpoint
CREATE INDEX `connections_grant` ON `connections` (`platform`,`grant_owner`) WHERE grant_owner IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `connections_ending` ON `connections` (`ends_at`) WHERE ends_at IS NOT NULL AND end_announced IS NOT ends_at;
--> statement-breakpoint
CREATE TABLE `idempotency_records` (
	`user_id` text NOT NULL,
	`key` text NOT NULL,
	`request_hash` text NOT NULL,
	`status` integer,
	`body` text,
	`created_at` integer NOT NULL,
	`lease_until` integer NOT NULL,
	`reference` text,
	PRIMARY KEY(`user_id`, `key`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `idempotency_age` ON `idempotency_records` (`created_at`);
--> statement-breakpoint
CREATE TABLE `login_tokens` (
	`hash` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`purpose` text NOT NULL,
	`expires_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `login_tokens_expiry` ON `login_tokens` (`expires_at`);
--> statement-breakpoint
CREATE TABLE `media` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`state` text NOT NULL,
	`type` text NOT NULL,
	`content_type` text NOT NULL,
	`filename` text NOT NULL,
	`size_bytes` integer NOT NULL,
	`width` integer,
	`height` integer,
	`duration_ms` integer,
	`sha256` text,
	`facts` text NOT NULL,
	`created_at` integer NOT NULL,
	`sweep_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `media_content` ON `media` (`workspace_id`,`sha256`) WHERE sha256 IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `media_by_hash` ON `media` (`sha256`) WHERE sha256 IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `media_sweep` ON `media` (`sweep_at`);
--> statement-breakpoint
CREATE INDEX `media_library` ON `media` (`workspace_id`,`created_at`,`id`) WHERE state = 'ready';
--> statement-breakpoint
CREATE TABLE `oauth_clients` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`uri` text,
	`redirect_uris` text NOT NULL,
	`secret_hash` text,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`registered_from` text
);
--> statement-breakpoint
CREATE INDEX `oauth_clients_expiry` ON `oauth_clients` (`expires_at`) WHERE expires_at IS NOT NULL;
--> statement-breakpoint
CREATE TABLE `oauth_grants` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`client_id` text NOT NULL,
	`scopes` text NOT NULL,
	`resource` text NOT NULL,
	`redirect_uri` text NOT NULL,
	`code_hash` text NOT NULL,
	`code_challenge` text NOT NULL,
	`code_expires_at` integer NOT NULL,
	`code_used_at` integer,
	`created_at` integer NOT NULL,
	`revoked_at` integer,
	`confirms` text DEFAULT 'self' NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `oauth_grants_code` ON `oauth_grants` (`code_hash`);
--> statement-breakpoint
CREATE INDEX `oauth_grants_user` ON `oauth_grants` (`user_id`,`client_id`);
--> statement-breakpoint
CREATE INDEX `oauth_grants_client` ON `oauth_grants` (`client_id`);
--> statement-breakpoint
CREATE INDEX `oauth_grants_dead` ON `oauth_grants` (`created_at`) WHERE (code_used_at IS NULL OR revoked_at IS NOT NULL);
--> statement-breakpoint
CREATE TABLE `oauth_tokens` (
	`hash` text PRIMARY KEY NOT NULL,
	`grant_id` text NOT NULL,
	`kind` text NOT NULL,
	`scopes` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`rotated_at` integer
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `oauth_tokens_grant` ON `oauth_tokens` (`grant_id`);
--> statement-breakpoint
CREATE INDEX `oauth_tokens_expiry` ON `oauth_tokens` (`expires_at`);
--> statement-breakpoint
CREATE TABLE `passkeys` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`public_key` text NOT NULL,
	`counter` integer NOT NULL,
	`transports` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer
);
--> statement-breakpoint
CREATE INDEX `passkeys_user` ON `passkeys` (`user_id`);
--> statement-breakpoint
CREATE TABLE `post_days` (
	`workspace_id` text NOT NULL,
	`day` integer NOT NULL,
	`scheduled` integer DEFAULT 0 NOT NULL,
	`publishing` integer DEFAULT 0 NOT NULL,
	`published` integer DEFAULT 0 NOT NULL,
	`partially_failed` integer DEFAULT 0 NOT NULL,
	`failed` integer DEFAULT 0 NOT NULL,
	`paused` integer DEFAULT 0 NOT NULL,
	`slots` text DEFAULT '{}' NOT NULL,
	`platforms` text DEFAULT '{}' NOT NULL,
	`lateness` text DEFAULT '{}' NOT NULL,
	`times` text DEFAULT '{}' NOT NULL,
	PRIMARY KEY(`workspace_id`, `day`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `post_media` (
	`media_id` text NOT NULL,
	`post_id` text NOT NULL,
	PRIMARY KEY(`media_id`, `post_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `post_media_post` ON `post_media` (`post_id`);
--> statement-breakpoint
CREATE TABLE `post_targets` (
	`post_id` text NOT NULL,
	`account_id` text NOT NULL,
	`platform` text NOT NULL,
	`username` text NOT NULL,
	`caption` text,
	`effective_caption` text NOT NULL,
	`options` text NOT NULL,
	`state` text NOT NULL,
	`due_at` integer NOT NULL,
	`started_at` integer,
	`published_at` integer,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer,
	`remote_id` text,
	`remote_url` text,
	`error` text,
	`progress` text,
	`history` text NOT NULL,
	`updated_at` integer NOT NULL,
	`requested_options` text,
	`position` integer DEFAULT 0 NOT NULL,
	`media` text,
	`extras` text,
	PRIMARY KEY(`post_id`, `account_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `post_targets_by_account` ON `post_targets` (`account_id`,`due_at`);
--> statement-breakpoint
CREATE TABLE `posts` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`user_id` text NOT NULL,
	`status` text NOT NULL,
	`paused_reason` text,
	`scheduled_at` integer NOT NULL,
	`version` integer NOT NULL,
	`run_id` text,
	`watch_at` integer,
	`post_type` text NOT NULL,
	`caption` text NOT NULL,
	`media` text NOT NULL,
	`platforms` text NOT NULL,
	`plan_hash` text NOT NULL,
	`confirm_hash` text NOT NULL,
	`created_via` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`finished_at` integer,
	`created_by` text,
	`changes` text,
	`search_text` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE INDEX `posts_by_status` ON `posts` (`workspace_id`,`status`,`scheduled_at`,`id`);
--> statement-breakpoint
CREATE INDEX `posts_watch` ON `posts` (`watch_at`) WHERE watch_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `posts_cancelled` ON `posts` (`updated_at`) WHERE status = 'cancelled';
--> statement-breakpoint
CREATE TABLE `sessions` (
	`hash` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`authenticated_at` integer DEFAULT 0 NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`);
--> statement-breakpoint
CREATE INDEX `sessions_expiry` ON `sessions` (`expires_at`);
--> statement-breakpoint
CREATE TABLE `storage_use` (
	`workspace_id` text PRIMARY KEY NOT NULL,
	`bytes` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `subscriptions` (
	`user_id` text PRIMARY KEY NOT NULL,
	`plan` text NOT NULL,
	`status` text NOT NULL,
	`current_period_end` integer,
	`stripe_customer_id` text,
	`stripe_subscription_id` text,
	`updated_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `subscriptions_customer` ON `subscriptions` (`stripe_customer_id`) WHERE stripe_customer_id IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `subscriptions_lapse` ON `subscriptions` (`current_period_end`) WHERE current_period_end IS NOT NULL;
--> statement-breakpoint
CREATE TABLE `uploads` (
	`id` text PRIMARY KEY NOT NULL,
	`media_id` text NOT NULL,
	`user_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`content_type` text NOT NULL,
	`size_bytes` integer NOT NULL,
	`part_size_bytes` integer NOT NULL,
	`parts` text NOT NULL,
	`state` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `uploads_expiry` ON `uploads` (`expires_at`);
--> statement-breakpoint
CREATE INDEX `uploads_media` ON `uploads` (`media_id`);
--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`password_hash` text,
	`active_workspace_id` text NOT NULL,
	`time_zone` text DEFAULT 'UTC' NOT NULL,
	`email_verified_at` integer,
	`created_at` integer NOT NULL,
	`muted_alerts` text DEFAULT '[]' NOT NULL,
	`role` text,
	`disabled_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email` ON `users` (`email`);
--> statement-breakpoint
CREATE TABLE `workspaces` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL,
	`approval_reauthentication` integer DEFAULT false NOT NULL,
	`alerts_mailed_at` integer,
	`shard` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `workspaces_user` ON `workspaces` (`user_id`);
--> statement-breakpoint
CREATE TABLE `app_registrations` (
	`platform` text NOT NULL,
	`server` text NOT NULL,
	`sealed` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`platform`, `server`)
);
--> statement-breakpoint
CREATE TABLE `sign_in_attempts` (
	`email_hash` text NOT NULL,
	`client_hash` text NOT NULL,
	`failures` integer NOT NULL,
	`next_attempt_at` integer,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`email_hash`, `client_hash`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `sign_in_attempts_updated` ON `sign_in_attempts` (`updated_at`);
--> statement-breakpoint
CREATE TABLE `service` (
	`id` integer PRIMARY KEY NOT NULL,
	`beat` integer NOT NULL,
	`epoch` integer NOT NULL,
	`held` text,
	`reviewed_to` text DEFAULT '' NOT NULL,
	`webhooks_told_at` integer DEFAULT 0 NOT NULL,
	`archived_day` integer DEFAULT 0 NOT NULL,
	`archived_to` text DEFAULT '' NOT NULL,
	`full_told_at` integer,
	`reseal_progress` text DEFAULT '' NOT NULL,
	CONSTRAINT "one_row" CHECK("service"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE `data_deletions` (
	`code` text PRIMARY KEY NOT NULL,
	`platform` text NOT NULL,
	`person_hash` text NOT NULL,
	`external_id` text,
	`issued_at` integer NOT NULL,
	`requested_at` integer NOT NULL,
	`completed_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `data_deletions_person` ON `data_deletions` (`platform`,`person_hash`);
--> statement-breakpoint
CREATE INDEX `data_deletions_open` ON `data_deletions` (`requested_at`) WHERE completed_at IS NULL;
--> statement-breakpoint
CREATE TABLE `hourly_use` (
	`hour` integer NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`used` integer NOT NULL,
	PRIMARY KEY(`hour`, `user_id`, `name`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `approvals` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`token_hash` text NOT NULL,
	`kind` text NOT NULL,
	`plan` text NOT NULL,
	`plan_hash` text NOT NULL,
	`requested_by` text NOT NULL,
	`via` text NOT NULL,
	`state` text NOT NULL,
	`note` text,
	`post_ids` text,
	`details` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`decided_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `approvals_token` ON `approvals` (`user_id`,`token_hash`);
--> statement-breakpoint
CREATE INDEX `approvals_by_state` ON `approvals` (`user_id`,`state`,`expires_at`);
--> statement-breakpoint
CREATE INDEX `approvals_pending` ON `approvals` (`expires_at`) WHERE state = 'pending';
--> statement-breakpoint
CREATE INDEX `approvals_decided` ON `approvals` (`decided_at`) WHERE decided_at IS NOT NULL;
--> statement-breakpoint
CREATE TABLE `calendar_feeds` (
	`hash` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`user_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`changes` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `calendar_feeds_workspace` ON `calendar_feeds` (`workspace_id`);
--> statement-breakpoint
CREATE TABLE `event_logs` (
	`workspace_id` text PRIMARY KEY NOT NULL,
	`switched_on` integer DEFAULT false NOT NULL,
	`recording` integer NOT NULL,
	`sweep_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `event_logs_sweep` ON `event_logs` (`sweep_at`);
--> statement-breakpoint
CREATE TABLE `events` (
	`workspace_id` text NOT NULL,
	`seq` integer NOT NULL,
	`type` text NOT NULL,
	`subject_id` text NOT NULL,
	`at` integer NOT NULL,
	`data` text NOT NULL,
	PRIMARY KEY(`workspace_id`, `seq`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `notices` (
	`workspace_id` text NOT NULL,
	`kind` text NOT NULL,
	`subject_id` text NOT NULL,
	`at` integer NOT NULL,
	`mailed_at` integer,
	`dismissed_at` integer,
	PRIMARY KEY(`workspace_id`, `kind`, `subject_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `notices_unmailed` ON `notices` (`workspace_id`,`at`) WHERE mailed_at IS NULL;
--> statement-breakpoint
CREATE INDEX `notices_age` ON `notices` (`at`);
--> statement-breakpoint
CREATE INDEX `notices_open` ON `notices` (`workspace_id`,`at`) WHERE dismissed_at IS NULL;
--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`url` text NOT NULL,
	`description` text NOT NULL,
	`types` text NOT NULL,
	`sealed_secret` text NOT NULL,
	`previous_sealed_secret` text,
	`previous_secret_until` integer,
	`start_after` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`disabled_at` integer,
	`disabled_reason` text,
	`made_by` text
);
--> statement-breakpoint
CREATE INDEX `webhooks_workspace` ON `webhooks` (`workspace_id`);
--> statement-breakpoint
CREATE INDEX `webhooks_enabled` ON `webhooks` (`workspace_id`,`id`) WHERE disabled_at IS NULL;
--> statement-breakpoint
CREATE TABLE `archive_orphans` (
	`key` text PRIMARY KEY NOT NULL,
	`seen_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `archive_parts` (
	`workspace_id` text NOT NULL,
	`first_at` integer NOT NULL,
	`id` text NOT NULL,
	`user_id` text NOT NULL,
	`last_at` integer NOT NULL,
	`published` integer NOT NULL,
	`partially_failed` integer NOT NULL,
	`failed` integer NOT NULL,
	`size_bytes` integer NOT NULL,
	`created_at` integer NOT NULL,
	`first_id` text NOT NULL,
	`last_id` text NOT NULL,
	`accounts` text NOT NULL,
	`ids` blob NOT NULL,
	PRIMARY KEY(`workspace_id`, `first_at`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `post_totals` (
	`workspace_id` text NOT NULL,
	`side` text NOT NULL,
	`day` integer NOT NULL,
	`scheduled` integer DEFAULT 0 NOT NULL,
	`published` integer DEFAULT 0 NOT NULL,
	`partially_failed` integer DEFAULT 0 NOT NULL,
	`failed` integer DEFAULT 0 NOT NULL,
	`paused` integer DEFAULT 0 NOT NULL,
	`platforms` text DEFAULT '{}' NOT NULL,
	PRIMARY KEY(`workspace_id`, `side`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `data_exports` (
	`user_id` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`session_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`files` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `data_exports_expiry` ON `data_exports` (`expires_at`);
--> statement-breakpoint
CREATE TABLE `deletions` (
	`user_hash` text PRIMARY KEY NOT NULL,
	`erased_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `user_deletions` (
	`user_id` text PRIMARY KEY NOT NULL,
	`requested_by` text NOT NULL,
	`requested_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`next_run_at` integer NOT NULL,
	`stopped_at` integer,
	`reminded_at` integer,
	`erasing_at` integer,
	`erased_at` integer,
	`workspace_ids` text DEFAULT '[]' NOT NULL
);
--> statement-breakpoint
CREATE INDEX `user_deletions_next` ON `user_deletions` (`next_run_at`);
--> statement-breakpoint
CREATE TABLE `brought_forward` (
	`post_id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `operator_alerts` (
	`kind` text NOT NULL,
	`label` text NOT NULL,
	`state` text NOT NULL,
	`since` integer NOT NULL,
	`calm_since` integer,
	`changed_at` integer NOT NULL,
	`mailed` integer DEFAULT 0 NOT NULL,
	`posted` integer DEFAULT 0 NOT NULL,
	`detail` text NOT NULL,
	PRIMARY KEY(`kind`, `label`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `service_hours` (
	`hour` integer NOT NULL,
	`metric` text NOT NULL,
	`label` text NOT NULL,
	`count` integer NOT NULL,
	`sum` integer DEFAULT 0 NOT NULL,
	`buckets` text DEFAULT '{}' NOT NULL,
	PRIMARY KEY(`hour`, `metric`, `label`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `service_progress` (
	`id` integer PRIMARY KEY NOT NULL,
	`noted` text DEFAULT '[]' NOT NULL,
	`posts_to` integer DEFAULT 0 NOT NULL,
	`notices_to` integer DEFAULT 0 NOT NULL,
	`mail_begun_at` integer DEFAULT 0 NOT NULL,
	`webhook_begun_at` integer DEFAULT 0 NOT NULL,
	CONSTRAINT "one_progress" CHECK("service_progress"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE `annotated_posts` (
	`workspace_id` text NOT NULL,
	`kind` text NOT NULL,
	`value` text NOT NULL,
	`scheduled_at` integer NOT NULL,
	`post_id` text NOT NULL,
	PRIMARY KEY(`workspace_id`, `kind`, `value`, `scheduled_at`, `post_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `post_annotations` (
	`workspace_id` text NOT NULL,
	`post_id` text NOT NULL,
	`scheduled_at` integer NOT NULL,
	`external_id` text,
	`metadata` text NOT NULL,
	`labels` text NOT NULL,
	`notes` text,
	`updated_at` integer NOT NULL,
	`search_text` text DEFAULT '' NOT NULL,
	PRIMARY KEY(`workspace_id`, `post_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `media_fits` (
	`workspace_id` text NOT NULL,
	`source_sha256` text NOT NULL,
	`recipe` text NOT NULL,
	`media_id` text NOT NULL,
	PRIMARY KEY(`workspace_id`, `source_sha256`, `recipe`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `media_fits_media` ON `media_fits` (`media_id`);
--> statement-breakpoint
CREATE TABLE `draft_media` (
	`media_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`draft_id` text NOT NULL,
	PRIMARY KEY(`workspace_id`, `media_id`, `draft_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `draft_media_draft` ON `draft_media` (`draft_id`);
--> statement-breakpoint
CREATE TABLE `drafts` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`version` integer NOT NULL,
	`content` text NOT NULL,
	`media_ids` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `drafts_workspace` ON `drafts` (`workspace_id`,`updated_at`,`id`);
--> statement-breakpoint
CREATE INDEX `drafts_idle` ON `drafts` (`updated_at`);
--> statement-breakpoint
CREATE TABLE `schedule_slots` (
	`workspace_id` text PRIMARY KEY NOT NULL,
	`time_zone` text NOT NULL,
	`slots` text NOT NULL,
	`updated_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO service (id, beat, epoch) VALUES (1, 0, 0);
--> statement-breakpoint
INSERT INTO service_progress (id, posts_to, notices_to) VALUES (1, 0, 0);--> statement-breakpoint
CREATE INDEX `api_keys_expiry` ON `api_keys` (`expires_at`) WHERE expires_at IS NOT NULL AND revoked_at IS NULL;
--> statement-breakpoint
CREATE INDEX `oauth_clients_registered` ON `oauth_clients` (`registered_from`,`created_at`) WHERE registered_from IS NOT NULL;
--> statement-breakpoint
CREATE TABLE `account_mails` (
	`email_hash` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`email_hash`, `at`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `account_mails_at` ON `account_mails` (`at`);
--> statement-breakpoint
CREATE INDEX `approvals_dropped` ON `approvals` (`decided_at`) WHERE state IN ('withdrawn', 'declined');
