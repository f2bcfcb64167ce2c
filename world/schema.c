/* in the making */ typedef int schema_unit;
