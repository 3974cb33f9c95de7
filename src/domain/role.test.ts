import { describe, expect, it } from 'vitest';
import { isAllowed, mayManage, ROLE_ACTIONS, ROLES } from './role.ts';

describe('roles', () => {
  it('each have all that the next one has', () => {
    const allowed = ROLES.map((role) =>
      Object.keys(ROLE_ACTIONS).filter((action) =>
        isAllowed(action as keyof typeof ROLE_ACTIONS, { role, isOperator: false }),
      ),
    );
    expect(allowed.map(({ length }) => length)).toEqual([13, 12, 7, 2]);
    for (const [i, actions] of allowed.entries())
      expect(allowed[i - 1] ?? actions).toEqual(expect.arrayContaining(actions));
  });

  it('make nobody an operator, and an operator nothing else but who looks after connections', () => {
    for (const role of ROLES) expect(isAllowed('operate', { role, isOperator: false })).toBe(false);
    expect(isAllowed('operate', { role: 'viewer', isOperator: true })).toBe(true);
    const more = Object.keys(ROLE_ACTIONS) as (keyof typeof ROLE_ACTIONS)[];
    const asViewer = (isOperator: boolean) =>
      more.filter((action) => isAllowed(action, { role: 'viewer', isOperator }));
    expect(asViewer(true)).toEqual([...asViewer(false), 'connections', 'operate']);
  });

  it('let owners manage everybody, admins all but owners, and others nobody', () => {
    const managed = ROLES.map((role) => ROLES.filter((other) => mayManage(role, other)));
    expect(managed).toEqual([[...ROLES], ['admin', 'member', 'viewer'], [], []]);
  });
});
