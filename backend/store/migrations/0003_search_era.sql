-- What a message is found by now names its era, too, so the index is made anew.

INSERT INTO search (search) VALUES ('delete-all');

UPDATE search_progress SET message = 0;
