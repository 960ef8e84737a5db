CREATE TABLE `draft_media` (
	`media_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`draft_id` text NOT NULL,
	PRIMARY KEY(`workspace_id`, `media_id`, `draft_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `draft_media_draft` ON `draft_media` (`draft_id`);--> statement-breakpoint
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
CREATE INDEX `drafts_workspace` ON `drafts` (`workspace_id`,`updated_at`,`id`);--> statement-breakpoint
CREATE INDEX `drafts_idle` ON `drafts` (`updated_at`);
--> statement-breakpoint
-- What a draft names is kept; no statement of the service writes these rows itself.
CREATE TRIGGER draft_media_insert AFTER INSERT ON drafts
BEGIN
  INSERT INTO draft_media (media_id, workspace_id, draft_id)
  SELECT DISTINCT m.value, NEW.workspace_id, NEW.id FROM json_each(NEW.media_ids) m;
END;
--> statement-breakpoint
CREATE TRIGGER draft_media_change AFTER UPDATE OF media_ids ON drafts WHEN NEW.media_ids <> OLD.media_ids
BEGIN
  DELETE FROM draft_media WHERE draft_id = OLD.id;
  INSERT INTO draft_media (media_id, workspace_id, draft_id)
  SELECT DISTINCT m.value, NEW.workspace_id, NEW.id FROM json_each(NEW.media_ids) m;
END;
--> statement-breakpoint
CREATE TRIGGER draft_media_delete AFTER DELETE ON drafts
BEGIN
  DELETE FROM draft_media WHERE draft_id = OLD.id;
END;
