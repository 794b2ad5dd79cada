-- Whether a person has set or cleared the site or the owner of a device: what the device itself says of it counts no more from then on.
ALTER TABLE agents ADD COLUMN site_by_person boolean NOT NULL DEFAULT false, ADD COLUMN owner_by_person boolean NOT NULL DEFAULT false;
