/* in the making */ typedef int script_unit;
