// What a screen reads of its address and changes in it: its search parameters, and the application that its path names.
import { useNavigate, useSearch, type RegisteredRouter, type RouteById, type RouteIds } from '@tanstack/react-router';
import { useApplication } from '../session/me.ts';

type Tree = RegisteredRouter['routeTree'];
type PathOf<Id> = Id extends `/inside${infer Path}` ? Path : never;
type SearchOf<Path extends string> = RouteById<Tree, `/inside${Path}`>['types']['fullSearchSchema'];

/** `path` is the screen's own, as in routes.tsx. What `change` is not given stays. */
export function useAddress<const Path extends PathOf<RouteIds<Tree>>>(path: Path) {
  const navigate = useNavigate();
  const given: object = useSearch({ strict: false });
  const search = given as SearchOf<Path>;
  const change = (next: Partial<SearchOf<Path>>, replace = false): void =>
    void navigate({ from: path, search: (last: object) => ({ ...last, ...next }), replace } as never);
  return { ...useApplication(), search, change };
}
