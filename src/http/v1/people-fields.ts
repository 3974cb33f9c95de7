import { Type } from 'typebox';
import { RequestError } from '../../domain/error.ts';
import { isEmail, MAX_EMAIL_CHARACTERS, PASSWORD_CHARACTERS } from '../../domain/person.ts';
import { ROLES } from '../../domain/role.ts';
import { choiceField, type Field, parseText } from '../body.ts';
import { nullable } from '../schemas.ts';

const MAX_TOKEN_CHARACTERS = 200;

export const TimeSchema = Type.String({ format: 'date-time' });
export const IdSchema = Type.String({ format: 'uuid' });

export function nullableTime(description: string) {
  return nullable(TimeSchema, description);
}

export const emailField: Field<string> = {
  schema: Type.String({ description: 'A mail address.', minLength: 3, maxLength: MAX_EMAIL_CHARACTERS }),
  isRequired: true,
  absent: '',
  parse: (name, value) => {
    const email = parseText(name, value, MAX_EMAIL_CHARACTERS);
    if (isEmail(email)) return email;
    throw new RequestError(
      'INVALID_PARAMETERS',
      `Field '${name}' is not a mail address.`,
      'Write it like ada@example.com.',
    );
  },
};

/** As it is typed to sign in: what was never a password is no error, but wrong. */
export const passwordField: Field<string> = {
  schema: Type.String({ description: 'The password.', maxLength: PASSWORD_CHARACTERS.max }),
  isRequired: true,
  absent: '',
  parse: (name, value) => parseText(name, value, PASSWORD_CHARACTERS.max),
};

export const newPasswordField: Field<string> = {
  schema: Type.String({
    description: 'The new password. Several words make a good one.',
    minLength: PASSWORD_CHARACTERS.min,
    maxLength: PASSWORD_CHARACTERS.max,
  }),
  isRequired: true,
  absent: '',
  parse: (name, value) => {
    const password = parseText(name, value, PASSWORD_CHARACTERS.max);
    if ([...password].length >= PASSWORD_CHARACTERS.min && new Set(password).size > 4) return password;
    throw new RequestError(
      'INVALID_PARAMETERS',
      `Field '${name}' is too easy to guess.`,
      `Use at least ${PASSWORD_CHARACTERS.min} characters, such as four words that do not belong together.`,
    );
  },
};

export const tokenField: Field<string> = {
  schema: Type.String({ description: 'What stands in the link.', minLength: 1, maxLength: MAX_TOKEN_CHARACTERS }),
  isRequired: true,
  absent: '',
  parse: (name, value) => parseText(name, value, MAX_TOKEN_CHARACTERS),
};

export const roleField = choiceField('What the member may do; docs/guides/people.md has the table.', ROLES);

export function idField(description: string): Field<string> {
  return {
    schema: Type.String({ description, format: 'uuid' }),
    isRequired: true,
    absent: '',
    parse: (name, value) => {
      const id = parseText(name, value, 36).toLowerCase();
      if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return id;
      throw new RequestError('INVALID_PARAMETERS', `Field '${name}' is not an id.`, 'Take it from a list.');
    },
  };
}
