-- What admins add on the page belongs to their organization, and ends with it. What was added in a shell belongs to the operators.
ALTER TABLE connections ADD COLUMN organization_id uuid REFERENCES organizations ON DELETE CASCADE;
CREATE INDEX connections_organization ON connections (organization_id);

-- The data directory in which the body lies: servers without a common one cannot import each other's.
ALTER TABLE downloads ADD COLUMN place uuid;
