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
	`disconnected_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_platform_account` ON `accounts` (`workspace_id`,`platform`,`platform_account_id`);--> statement-breakpoint
CREATE INDEX `accounts_connection` ON `accounts` (`connection_id`);--> statement-breakpoint
CREATE INDEX `accounts_user` ON `accounts` (`user_id`) WHERE disconnected_at IS NULL;--> statement-breakpoint
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
	`revoked_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_hash` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE INDEX `api_keys_user` ON `api_keys` (`user_id`);--> statement-breakpoint
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
	`used_at` integer
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `connect_states_expiry` ON `connect_states` (`expires_at`);--> statement-breakpoint
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
	`next_sync_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `connections_login` ON `connections` (`workspace_id`,`platform`,`external_id`);--> statement-breakpoint
CREATE INDEX `connections_sync` ON `connections` (`next_sync_at`) WHERE next_sync_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `idempotency_records` (
	`user_id` text NOT NULL,
	`key` text NOT NULL,
	`request_hash` text NOT NULL,
	`status` integer,
	`body` text,
	`created_at` integer NOT NULL,
	`lease_until` integer NOT NULL,
	PRIMARY KEY(`user_id`, `key`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `idempotency_age` ON `idempotency_records` (`created_at`);--> statement-breakpoint
CREATE TABLE `login_tokens` (
	`hash` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`purpose` text NOT NULL,
	`expires_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `login_tokens_expiry` ON `login_tokens` (`expires_at`);--> statement-breakpoint
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
CREATE UNIQUE INDEX `media_content` ON `media` (`workspace_id`,`sha256`) WHERE sha256 IS NOT NULL;--> statement-breakpoint
CREATE INDEX `media_by_hash` ON `media` (`sha256`) WHERE sha256 IS NOT NULL;--> statement-breakpoint
CREATE INDEX `media_sweep` ON `media` (`sweep_at`);--> statement-breakpoint
CREATE TABLE `oauth_clients` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`uri` text,
	`redirect_uris` text NOT NULL,
	`secret_hash` text,
	`created_at` integer NOT NULL,
	`expires_at` integer
);
--> statement-breakpoint
CREATE INDEX `oauth_clients_expiry` ON `oauth_clients` (`expires_at`) WHERE expires_at IS NOT NULL;--> statement-breakpoint
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
	`revoked_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `oauth_grants_code` ON `oauth_grants` (`code_hash`);--> statement-breakpoint
CREATE INDEX `oauth_grants_user` ON `oauth_grants` (`user_id`,`client_id`);--> statement-breakpoint
CREATE INDEX `oauth_grants_client` ON `oauth_grants` (`client_id`);--> statement-breakpoint
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
CREATE INDEX `oauth_tokens_grant` ON `oauth_tokens` (`grant_id`);--> statement-breakpoint
CREATE INDEX `oauth_tokens_expiry` ON `oauth_tokens` (`expires_at`);--> statement-breakpoint
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
CREATE INDEX `passkeys_user` ON `passkeys` (`user_id`);--> statement-breakpoint
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
	PRIMARY KEY(`workspace_id`, `day`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `post_media` (
	`media_id` text NOT NULL,
	`post_id` text NOT NULL,
	PRIMARY KEY(`media_id`, `post_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `post_media_post` ON `post_media` (`post_id`);--> statement-breakpoint
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
	PRIMARY KEY(`post_id`, `account_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `post_targets_by_account` ON `post_targets` (`account_id`,`due_at`);--> statement-breakpoint
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
	`finished_at` integer
);
--> statement-breakpoint
CREATE INDEX `posts_by_status` ON `posts` (`workspace_id`,`status`,`scheduled_at`,`id`);--> statement-breakpoint
CREATE INDEX `posts_by_time` ON `posts` (`workspace_id`,`scheduled_at`,`id`) WHERE status <> 'cancelled';--> statement-breakpoint
CREATE INDEX `posts_watch` ON `posts` (`watch_at`) WHERE watch_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `posts_cancelled` ON `posts` (`updated_at`) WHERE status = 'cancelled';--> statement-breakpoint
CREATE TABLE `sessions` (
	`hash` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE INDEX `sessions_expiry` ON `sessions` (`expires_at`);--> statement-breakpoint
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
CREATE INDEX `subscriptions_customer` ON `subscriptions` (`stripe_customer_id`) WHERE stripe_customer_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `subscriptions_lapse` ON `subscriptions` (`current_period_end`) WHERE current_period_end IS NOT NULL;--> statement-breakpoint
CREATE TABLE `uploads` (
	`id` text PRIMARY KEY NOT NULL,
	`media_id` text NOT NULL,
	`user_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`multipart_id` text,
	`content_type` text NOT NULL,
	`size_bytes` integer NOT NULL,
	`part_size_bytes` integer NOT NULL,
	`parts` text NOT NULL,
	`state` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `uploads_expiry` ON `uploads` (`expires_at`);--> statement-breakpoint
CREATE INDEX `uploads_media` ON `uploads` (`media_id`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`password_hash` text,
	`active_workspace_id` text NOT NULL,
	`time_zone` text DEFAULT 'UTC' NOT NULL,
	`failed_logins` integer DEFAULT 0 NOT NULL,
	`next_login_at` integer,
	`email_verified_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email` ON `users` (`email`);--> statement-breakpoint
CREATE TABLE `workspaces` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `workspaces_user` ON `workspaces` (`user_id`);